package slurm_test

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/validate/testbed"
	"github.com/partwise/partwise/validate/testbed/slurm"
)

// A program that measures only where it can.
func ExampleFind() {
	var missing *testbed.MissingError
	if err := slurm.Find(); err == nil || errors.As(err, &missing) {
		fmt.Println("Slurm is there, or it is known what is missing.")
	}
	// Output: Slurm is there, or it is known what is missing.
}
