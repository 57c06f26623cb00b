package markov_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/markov"
)

// An exponential time with mean 2, from its transform 1/(s + 1/2).
func ExampleNewSurvivalTransform() {
	transform := func(_ context.Context, s complex128) (complex128, error) { return 1 / (s + 0.5), nil }
	t, err := markov.NewSurvivalTransform(context.Background(), 2, 0, transform)
	if err != nil {
		log.Fatal(err)
	}
	low, high := t.At(2)
	fmt.Printf("P(T > 2) = %.6f, certain to 1e-7: %v\n", (low+high)/2, high-low < 1e-7)
	median, err := t.Quantile(context.Background(), 0.5, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the median is %.5f\n", median)
	// Output:
	// P(T > 2) = 0.367879, certain to 1e-7: true
	// the median is 1.38629
}
