package decide

import (
	"errors"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
)

// Axis is a quantity of a system that a question varies while all else stays as it is.
type Axis struct {
	Name     string // as model files and flags call the quantity
	Quantity string // in words
	Unit     measure.Unit
	// At returns the system with the quantity at x.
	At func(s *models.System, x float64) (*models.System, error)
	// Value returns what x means to people, given the measures of dynamic partitioning there; nil if that is x itself.
	Value func(x float64, m *models.Measures) float64
	// OnlyDynamic says that static partitioning does not depend on x.
	OnlyDynamic bool
	// Range is where to look if nobody says: from the first to the second; Geometric steps or equal ones.
	Range     [2]float64
	Geometric bool
	// Grows says that the end of the range is doubled while dynamic partitioning still pays there.
	Grows bool
	// Limit returns the x from which on no policy is stable; nil if stability does not depend on x.
	Limit func(s *models.System) float64
}

// Axes returns the axes on which breakevens are asked for: the overhead of repartitions, the load, the variability of service times.
func Axes() []Axis {
	return []Axis{
		{
			// Multiplies all repartition overheads by a factor x ≥ 0. What it means to people is the mean overhead,
			//
			//	Σ_i (a_i·E[C_i shrink] + d_i·E[C_i expand]) / Σ_i (rates of those that cost something),
			//
			// each repartition weighted by the rate at which it is started at that x, see [models.Repartitions.MeanOverhead].
			Name:     "dynamic.overhead",
			Quantity: "mean overhead",
			Unit:     measure.Time,
			At:       withOverhead,
			Value: func(_ float64, m *models.Measures) float64 {
				if m.Repartitions == nil {
					return 0
				}
				return m.Repartitions.MeanOverhead
			},
			OnlyDynamic: true,
			Range:       [2]float64{0, 2},
			Grows:       true,
		},
		{
			// Varies the relative load Û = λ/(N·μ_N): the time of the arrival process is rescaled.
			Name:     "load",
			Quantity: "load",
			At:       (*models.System).WithLoad,
			Range:    [2]float64{0.01, 0.99},
			Limit:    func(s *models.System) float64 { return maxStableRate(s) / s.Capacity() },
		},
		{
			// Sets the squared coefficient of variation of all service times to x, their means staying what they are, by the
			// distribution that two moments give, [phasetype.TwoMoments]. The demand, or with several classes that of each,
			// gets the same.
			Name:      "scv",
			Quantity:  "service scv",
			At:        withServiceSCV,
			Range:     [2]float64{0.5, 25},
			Geometric: true,
		},
	}
}

// check returns what keeps the axis from being walked.
func (a *Axis) check() error {
	if a.At == nil {
		return errors.New("decide: the axis does not say how it varies a system")
	}
	return nil
}

// grid returns n points of the range, both ends included.
func (a *Axis) grid(from, to float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		share := float64(i) / float64(n-1)
		if a.Geometric {
			xs[i] = from * math.Pow(to/from, share)
		} else {
			xs[i] = from + share*(to-from)
		}
	}
	xs[0], xs[n-1] = from, to
	return xs
}
