package study_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/study"
	"github.com/partwise/partwise/models"
)

// Between two loads the ratio of the mean response times is taken to be linear.
func ExampleCrossings() {
	points := []models.Point{
		{Load: 0.2, Decision: models.Decision{Ratio: 1.2}},
		{Load: 0.4, Decision: models.Decision{Ratio: 1.1}},
		{Load: 0.6, Decision: models.Decision{Ratio: 0.9}},
	}
	fmt.Println(study.Crossings(points))
	// Output: dynamic pays up to load 0.50
}
