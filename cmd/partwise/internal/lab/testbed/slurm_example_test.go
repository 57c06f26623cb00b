package testbed_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
	"github.com/partwise/partwise/validate/des"
)

// What repartitions cost, where Slurm is installed, or what is missing.
func ExampleMeasureSlurm() {
	all, err := testbed.MeasureSlurm(context.Background(), 4, 50, 0, des.Seed(1))
	var missing *testbed.MissingError
	if errors.As(err, &missing) {
		fmt.Println("install", missing.Programs)
	}
	for _, t := range all {
		for i := range t.Samples {
			fmt.Println(t.Why, t.Running, t.Samples[i].Total())
		}
	}
}
