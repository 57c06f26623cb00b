package solution

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Decision solves policies on a model.
func Decision(inv *cli.Invocation, file *modelfile.Model, policies []policy.Policy) (decide.Decision, error) {
	set := input.AnyMethod()
	set.Memory = inv.Memory
	d, err := decide.Solve(inv.Context, file.System, policies, set, inv.Workers)
	return d, input.MethodError(set.Method, err)
}

// SeveralSamples checks a number of samples: intervals of 95 % need some on either side.
func SeveralSamples(n int) error {
	if n < 50 || n > 100_000 {
		return fmt.Errorf("%d is not a number of samples from 50 to 100000", n)
	}
	return nil
}

// BestObject is the best static policy as JSON.
func BestObject(best *decide.Solved) output.Object {
	return output.Pairs("partitions", best.Partitions(), "mean_response_time", best.Measures.MeanResponseTime)
}
