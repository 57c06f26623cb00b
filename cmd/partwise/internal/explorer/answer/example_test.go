package answer_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
)

func ExampleTo() {
	fmt.Printf("%s\n", answer.To(context.Background(), []byte(`{"kind": "curve", "loads": [0.5],
		"model": "{version: 1, machine: {nodes: 1}, arrivals: {rate: 1}, jobs: {demand: {exponential: {mean: 1}}, speedup: linear}}"}`)))
	// Output: [{"load":0.5,"dynamic":2,"static":2,"partitions":1,"ratio":1}]
}
