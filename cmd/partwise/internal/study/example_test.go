package study_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/study"
	"github.com/partwise/partwise/models/decide"
)

// Between two loads the ratio of the mean response times is taken to be linear.
func ExampleCrossings() {
	points := []decide.Point{
		{Load: 0.2, Decision: decide.Decision{Ratio: 1.2}},
		{Load: 0.4, Decision: decide.Decision{Ratio: 1.1}},
		{Load: 0.6, Decision: decide.Decision{Ratio: 0.9}},
	}
	fmt.Println(study.Crossings(points))
	// Output: dynamic pays up to load 0.50
}
