package decide

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Tally counts the points of a sweep by what they say of dynamic and static partitioning.
type Tally struct {
	Known    int // points at which dynamic and some static partitioning are stable
	Faster   int // points at which dynamic partitioning is faster than the best static one
	Slightly int // how many of the faster points have no practical difference
	Most     int // the index of the point at which dynamic partitioning gains most
}

// NewTally counts the points at which dynamic and some static partitioning are stable, by which of the two is faster.
func NewTally(points []Point) (t Tally) {
	for i := range points {
		ratio := points[i].Decision.Ratio
		if ratio == 0 {
			continue
		}
		t.Known++
		if ratio > 1 {
			t.Faster++
		}
		if ratio > 1 && Negligible(ratio) {
			t.Slightly++
		}
		if ratio > points[t.Most].Decision.Ratio {
			t.Most = i
		}
	}
	return t
}

// Onset is the least load at which a policy is unstable.
type Onset struct {
	Policy policy.Policy
	Load   float64
}

// Onsets returns from which load on policies are unstable, in the order of the loads. Policies that are stable at all points are
// not among them.
func Onsets(points []Point) (all []Onset) {
	for _, p := range slices.SortedStableFunc(slices.Values(points), byLoad) {
		for _, r := range p.Decision.Results {
			if !r.Measures.Stable && !slices.ContainsFunc(all, func(o Onset) bool { return o.Policy == r.Policy }) {
				all = append(all, Onset{r.Policy, p.Load})
			}
		}
	}
	return all
}

// byLoad compares two points by their loads, for sorting.
func byLoad(a, b Point) int { return cmp.Compare(a.Load, b.Load) }

// Compared returns the points at which dynamic and some static partitioning are stable, in the order of their loads.
func Compared(points []Point) []Point {
	known := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.Decision.Ratio == 0 })
	slices.SortStableFunc(known, byLoad)
	return known
}

// Paying returns the ranges of loads at which dynamic partitioning pays, from the points that [Compared] returns: the first and the
// last of neighbours.
func Paying(known []Point) (all [][2]float64) {
	for i, p := range known {
		switch {
		case !(p.Decision.Ratio > 1):
		case i > 0 && known[i-1].Decision.Ratio > 1:
			all[len(all)-1][1] = p.Load
		default:
			all = append(all, [2]float64{p.Load, p.Load})
		}
	}
	return all
}

// RigidLimit returns the load at which rigid jobs in the order of their arrival (FCFS) saturate. It is the load of the first
// point at which they are unstable, divided by their traffic intensity there. It is 0 if rigid jobs were not solved, or if they
// are stable at all points.
func RigidLimit(points []Point) float64 {
	for i := range points {
		rigid := points[i].Decision.Of(policy.FCFS{})
		if rigid != nil && !rigid.Measures.Stable {
			return points[i].Load / rigid.Measures.TrafficIntensity
		}
	}
	return 0
}

// LeastAccuratePoint returns the index of the point with the least accurate result, see [LeastAccurate], and that result; nil if no
// result is stable.
func LeastAccuratePoint(points []Point) (at int, least *Solved) {
	for i := range points {
		one := LeastAccurate(points[i].Decision.Results)
		if one != nil && (least == nil || one.Measures.Diagnostics.ErrorBound > least.Measures.Diagnostics.ErrorBound) {
			at, least = i, one
		}
	}
	return at, least
}

// LeastAccurate returns the stable result whose relative error has the greatest bound; nil if no result is stable.
func LeastAccurate(results []Solved) *Solved {
	var least *Solved
	for i := range results {
		r := &results[i]
		if r.Measures.Stable && (least == nil || r.Measures.Diagnostics.ErrorBound > least.Measures.Diagnostics.ErrorBound) {
			least = r
		}
	}
	return least
}
