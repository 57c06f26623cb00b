package fit

import (
	"context"

	"github.com/partwise/partwise/markov/parallel"
)

// forEach calls, for each i from 0 to n−1, the function that each of the workers makes for itself. It returns the error
// of ctx, before all calls are made, if that ends.
func forEach(ctx context.Context, workers, n int, newWorker func() func(i int)) error {
	return parallel.Workers(ctx, n, max(1, workers), func() func(int) error {
		work := newWorker()
		return func(i int) error {
			work(i)
			return nil
		}
	})
}
