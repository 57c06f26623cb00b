package model_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/models/modelfile"
)

// The title of a table names the model and its load.
func ExampleHeadline() {
	file, err := modelfile.Load("../../../../testdata/examples/gpu-training.yaml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Headline(file))
	// Output:
	// Elastic training on 64 GPUs, 30 s a restart: 64 nodes in units of 4, load 0.5936
}
