package decide

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// Axis is a quantity of a system that a question varies. All other parameters stay as they are.
type Axis struct {
	Name     string // as model files and flags call the quantity
	Quantity string // in words
	Unit     measure.Unit
	// At returns the system with the quantity at x.
	At func(s *models.System, x float64) (*models.System, error)
	// Value returns the number to show for x, given the measures of dynamic partitioning at x. For the axis
	// dynamic.overhead, x is a factor and the number shown is a mean overhead. Nil if x itself is shown.
	Value func(x float64, m *models.Measures) float64
	// OnlyDynamic says that x matters only where jobs are resized. Static policies and rigid jobs are then solved once.
	OnlyDynamic bool
	// Range is the first and the last x that are examined if [Breakeven] gives none. If Geometric is set, the ratio of
	// adjacent points is constant, otherwise their difference.
	Range     [2]float64
	Geometric bool
	// Ends says that the quantity cannot exceed the end of Range.
	Ends bool
	// Others says what becomes of other quantities that must change with this one, for people; empty if nothing must be said.
	Others string
	// Grows says that the end of Range is doubled while dynamic partitioning is still faster at the end.
	Grows bool
	// Limit returns the x at which jobs arrive at the given rate. At the largest stable arrival rate of all policies, no policy
	// is stable at this x or above. Nil if stability does not depend on x.
	Limit func(s *models.System, rate float64) float64
}

// Axes returns the axes on which breakevens are asked for: the overhead of repartitions, the load, the variability of service times,
// the serial share of jobs.
func Axes() []Axis {
	return []Axis{
		{
			// All repartition overheads are multiplied by a factor x ≥ 0. The number shown is the mean overhead at that x,
			//
			//	Σ_i (a_i·E[C_i shrink] + d_i·E[C_i expand]) / Σ_i (rates of repartitions that cost something).
			//
			// The weights a_i and d_i are the rates at which the repartitions start, see [models.Repartitions.MeanOverhead].
			Name:     "dynamic.overhead",
			Quantity: "mean resize cost",
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
			// x is the relative load Û = λ/(N·μ_N). The arrival process is rescaled in time, so that λ = x·N·μ_N.
			Name:     "load",
			Quantity: "load",
			At:       (*models.System).WithLoad,
			Range:    [2]float64{0.01, 0.99},
			Limit:    func(s *models.System, rate float64) float64 { return rate / s.Capacity() },
		},
		{
			// x is the squared coefficient of variation (scv) of all service times. Each service time is replaced by
			// the distribution of [phasetype.TwoMoments] with scv x and the same mean. So is the demand, or the demand
			// of each class.
			Name:      "scv",
			Quantity:  "service scv",
			At:        withServiceSCV,
			Range:     [2]float64{0.5, 25},
			Geometric: true,
		},
		{
			// x is the serial share of all jobs, the share of the demand that is not parallel. The relative load stays.
			Name:      "serial",
			Quantity:  "serial share of jobs",
			At:        withSerialShare,
			Range:     [2]float64{0.001, 1},
			Geometric: true,
			Ends:      true,
		},
	}
}

// end returns the end of a range that begins at from and says no end. If the axis grows, it is beyond from.
func (a *Axis) end(from float64) float64 {
	if a.Grows {
		return max(a.Range[1], 2*from)
	}
	return a.Range[1]
}

// ErrHeldShares is the error of a class whose share cannot vary, because no other class has a weight.
var ErrHeldShares = errors.New("the shares of the other classes are of all arrivals, or 0")

// ShareAxis returns the axis of the share of class k in the arrivals, which ends at [models.System.LargestShare]. Classes with OfAll
// keep their shares, the others divide the rest in their proportions, and the relative load stays. The error is a
// *[models.SystemError], or wraps [ErrHeldShares].
func ShareAxis(s *models.System, k int) (Axis, error) {
	largest, err := s.LargestShare(k)
	switch {
	case err != nil:
		return Axis{}, err
	case largest == 0:
		return Axis{}, fmt.Errorf("decide: share of class %q: %w", s.Classes[k].Name, ErrHeldShares)
	}
	return Axis{
		Name:     "share",
		Quantity: fmt.Sprintf("share of class %q", s.Classes[k].Name),
		At:       func(s *models.System, p float64) (*models.System, error) { return s.WithShare(k, p) },
		Range:    [2]float64{0, largest},
		Ends:     true,
		Others:   othersBeside(s, k),
	}, nil
}

// othersBeside says what the other classes do if the share of class k varies; "" for the only other class.
func othersBeside(s *models.System, k int) string {
	if len(s.Classes) == 2 {
		return ""
	}
	total := 0.0
	for _, c := range s.Classes {
		total += c.Share
	}
	var held []string
	for j, c := range s.Classes {
		if j != k && c.OfAll {
			held = append(held, fmt.Sprintf("class %q keeps %s", c.Name, words.Percent(c.Share/total)))
		}
	}
	text := words.And(held) + " of all arrivals"
	switch free := len(s.Classes) - 1 - len(held); {
	case held == nil:
		return "the other classes keep their proportions"
	case free > 1:
		text += ", the others their proportions"
	}
	return text
}

// check returns an error if the axis has no function At, which varies a system.
func (a *Axis) check() error {
	if a.At == nil {
		return errors.New("decide: the axis does not say how it varies a system")
	}
	return nil
}

// grid returns n ≥ 2 ascending points from from to to, both included: from + i·(to−from)/(n−1), or, if Geometric is set,
// from·(to/from)^(i/(n−1)), i = 0…n−1.
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
