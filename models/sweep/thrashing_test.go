package sweep_test

import (
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// More than a quarter of the time in repartitions is too much.
func ExampleThrashing() {
	var points []decide.Point
	for i, share := range []float64{0.1, 0.3, 0.4} {
		m := models.Measures{Stable: true, Repartitions: &models.Repartitions{Probability: share}}
		points = append(points, decide.Point{
			Load:     float64(i+1) / 5,
			Decision: decide.NewDecision([]decide.Solved{{Policy: policy.Dynamic{}, Measures: m}}),
		})
	}
	fmt.Println(sweep.Thrashing(points))
	// Output: thrashing from load 0.4 to 0.6: up to 40 % of the time goes into repartitioning (at load 0.6)
}
