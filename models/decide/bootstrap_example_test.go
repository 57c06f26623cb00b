package decide_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// How sure is the best policy of a model whose demand is fitted to twelve run times?
func Example() {
	ctx := context.Background()
	m, err := modelfile.Load("testdata/few.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}}
	solved, err := decide.Solve(ctx, m.System, policies, markov.Settings{}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := m.Resampler(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := decide.Bootstrap(ctx, &solved, func(i int) (*models.System, error) {
		m, err := again(i)
		if err != nil {
			return nil, err
		}
		return m.System, nil
	}, decide.BootstrapOptions{Samples: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("dynamic partitioning wins with probability %.2f\n", r.ProbabilityDynamic)
	// Output: dynamic partitioning wins with probability 1.00
}
