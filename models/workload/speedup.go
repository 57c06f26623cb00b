package workload

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// Speedup tells how much faster a job runs on n nodes than on one. Those of this package also have a String method,
// which writes them as [ParseSpeedup] reads them; others need not. A speedup that is not known for all n is a [Ranged].
type Speedup interface {
	// At returns S(n) for a real number of nodes n ≥ 1; S(1) = 1.
	At(n float64) float64
}

// Ranged is a speedup that is known between two numbers of nodes.
type Ranged interface {
	Speedup
	// Range returns the smallest and the largest number of nodes.
	Range() (low, high float64)
	// Covers reports whether the speedup of n nodes is known.
	Covers(n float64) bool
}

// Linear is the speedup of a job that loses nothing to parallelism, S(n) = n.
type Linear struct{}

// At returns n.
func (Linear) At(n float64) float64 { return n }

// String returns "linear".
func (Linear) String() string { return "linear" }

// Amdahl is the speedup of a job of which the share Serial of its run time on one node cannot be parallelised,
//
//	S(n) = 1 / (Serial + (1 − Serial)/n).
//
// Reference: G. M. Amdahl, Validity of the single processor approach to achieving large scale computing capabilities,
// AFIPS Spring Joint Computer Conference 30 (1967) 483–485.
type Amdahl struct{ Serial float64 }

// NewAmdahl returns the speedup with serial fraction 0 ≤ serial ≤ 1.
func NewAmdahl(serial float64) (Amdahl, error) {
	if !(serial >= 0 && serial <= 1) {
		return Amdahl{}, noShare("serial", serial)
	}
	return Amdahl{serial}, nil
}

// At returns S(n).
func (a Amdahl) At(n float64) float64 { return 1 / (a.Serial + (1-a.Serial)/n) }

// String returns "amdahl:" and the serial fraction.
func (a Amdahl) String() string { return form("amdahl", a.Serial) }

// Power is the speedup S(n) = n^Exponent.
type Power struct{ Exponent float64 }

// NewPower returns the speedup n^exponent, 0 ≤ exponent ≤ 1.
func NewPower(exponent float64) (Power, error) {
	if !(exponent >= 0 && exponent <= 1) {
		return Power{}, invalid("exponent", "%v is not between 0 and 1", exponent)
	}
	return Power{exponent}, nil
}

// At returns n^Exponent.
func (p Power) At(n float64) float64 { return math.Pow(n, p.Exponent) }

// String returns "power:" and the exponent.
func (p Power) String() string { return form("power", p.Exponent) }

// dowdy is the speedup of an execution signature C₁ + C₂/n, written with the ratio Beta = C₂/C₁,
//
//	S(n) = (1 + Beta)·n / (Beta + n);
//
// it tends to 1 + Beta.
//
// Reference: L. W. Dowdy, On the partitioning of multiprocessor systems, Technical Report 88-06, Vanderbilt
// University, 1988.
type dowdy struct{ Beta float64 }

// NewDowdy returns Dowdy's speedup with beta = C₂/C₁ ≥ 0 of an execution signature C₁ + C₂/n,
//
//	S(n) = (1 + beta)·n / (beta + n),
//
// of a job that can be divided among any number of nodes, or, unless threads is 0, was split into so many threads when it
// was started: S(n)·threads/(n·⌈threads/n⌉).
func NewDowdy(beta float64, threads int) (Speedup, error) {
	switch {
	case !(beta >= 0) || math.IsInf(beta, 1):
		return nil, invalid("beta", "%v is not a nonnegative number", beta)
	case threads < 0:
		return nil, invalid("threads", "%d is not a positive number", threads)
	case threads == 0:
		return dowdy{beta}, nil
	}
	return dowdyStatic{beta, threads}, nil
}

// At returns S(n).
func (d dowdy) At(n float64) float64 { return (1 + d.Beta) * n / (d.Beta + n) }

// String returns "dowdy:" and beta.
func (d dowdy) String() string { return form("dowdy", d.Beta) }

// dowdyStatic is the speedup of a job that was split into a number of threads when it was started and has Dowdy's
// speedup but for the load imbalance: the node with the most threads has ⌈Threads/n⌉ of them, so that
//
//	S(n) = (1 + Beta)·n/(Beta + n) · Threads/(n·⌈Threads/n⌉),
//
// and nodes beyond the number of threads are idle. Where n divides the number of threads it is Dowdy's.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994, section 5.2, where the factor is written as
// (⌊N/n⌋/⌈N/n⌉·(n − N mod n) + N mod n)/n, which is the same.
type dowdyStatic struct {
	Beta    float64
	Threads int
}

// At returns S(n).
func (d dowdyStatic) At(n float64) float64 {
	threads := float64(d.Threads)
	n = min(n, threads)
	most := math.Ceil(threads / n * (1 - 1e-12)) // 128/3 nodes have 3 threads of 128 each, whatever the rounding
	return dowdy{d.Beta}.At(n) * threads / (n * most)
}

// String returns "dowdy-static:", beta and the number of threads.
func (d dowdyStatic) String() string { return form("dowdy-static", d.Beta, float64(d.Threads)) }

// Downey is the speedup of a job whose parallelism has mean A and variance Sigma·(A − 1)²: for Sigma ≤ 1
//
//	S(n) = A·n / (A + Sigma·(n − 1)/2)                  1 ≤ n ≤ A
//	S(n) = A·n / (Sigma·(A − 1/2) + n·(1 − Sigma/2))    A ≤ n ≤ 2A − 1
//	S(n) = A                                            n ≥ 2A − 1
//
// and for Sigma ≥ 1
//
//	S(n) = n·A·(Sigma + 1) / (A + A·Sigma − Sigma + n·Sigma)    1 ≤ n ≤ A + A·Sigma − Sigma
//	S(n) = A                                                    beyond.
//
// Both agree at Sigma = 1.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, equations 1 and 2.
type Downey struct{ A, Sigma float64 }

// newDowney returns the speedup with average parallelism a ≥ 1 and sigma ≥ 0.
func newDowney(a, sigma float64) (Downey, error) {
	if !(a >= 1) || math.IsInf(a, 1) {
		return Downey{}, invalid("A", "%v is not an average parallelism of at least 1", a)
	}
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return Downey{}, invalid("sigma", "%v is not a nonnegative number", sigma)
	}
	return Downey{a, sigma}, nil
}

// At returns S(n).
func (d Downey) At(n float64) float64 {
	a, sigma := d.A, d.Sigma
	switch {
	case sigma >= 1 && n >= a+a*sigma-sigma:
		return a
	case sigma >= 1:
		return n * a * (sigma + 1) / (a + a*sigma - sigma + n*sigma)
	case n >= 2*a-1:
		return a
	case n >= a:
		return a * n / (sigma*(a-0.5) + n*(1-sigma/2))
	}
	return a * n / (a + sigma*(n-1)/2)
}

// String returns "downey:", A and sigma.
func (d Downey) String() string { return form("downey", d.A, d.Sigma) }

// table is a measured speedup, linear between the numbers of nodes at which it was measured.
type table struct{ nodes, speedup []float64 }

// NewTable returns the piecewise linear speedup through the points (nodes[i], speedup[i]), in any order. The numbers of
// nodes are at least 1 and differ, the speedups are positive, and the speedup of one node, if it is there, is 1.
// It returns a [*ParameterError] otherwise.
func NewTable(nodes, speedup []float64) (Ranged, error) {
	switch {
	case len(nodes) == 0:
		return nil, invalid("table", "is empty")
	case len(nodes) != len(speedup):
		return nil, invalid("table", "%d numbers of nodes, %d speedups", len(nodes), len(speedup))
	}
	t := &table{slices.Clone(nodes), slices.Clone(speedup)}
	sort.Sort(byNodes(*t))
	for i, n := range t.nodes {
		s := t.speedup[i]
		switch {
		case !(n >= 1) || math.IsInf(n, 1):
			return nil, invalid("table", "%v is not a number of nodes", n)
		case i > 0 && n == t.nodes[i-1]:
			return nil, invalid("table", "%v nodes appear twice", n)
		case !(s > 0) || math.IsInf(s, 1):
			return nil, invalid("table", "the speedup of %v nodes is %v, not a positive number", n, s)
		case n == 1 && s != 1:
			return nil, invalid("table", "the speedup of one node is %v; it is 1 by definition", s)
		}
	}
	return t, nil
}

// Range returns the smallest and the largest number of nodes of the table.
func (t *table) Range() (low, high float64) { return t.nodes[0], t.nodes[len(t.nodes)-1] }

// Covers reports whether n nodes lie in the range of the table.
func (t *table) Covers(n float64) bool {
	low, high := t.Range()
	return low <= n && n <= high
}

// At returns S(n); outside of the table it is NaN, see Covers.
func (t *table) At(n float64) float64 {
	if !t.Covers(n) {
		return math.NaN()
	}
	i := sort.SearchFloat64s(t.nodes, n)
	if t.nodes[i] == n {
		return t.speedup[i]
	}
	w := (n - t.nodes[i-1]) / (t.nodes[i] - t.nodes[i-1])
	return (1-w)*t.speedup[i-1] + w*t.speedup[i]
}

// String returns "table:" and the points, as in table:1=1,2=1.95,4=3.7.
func (t *table) String() string {
	points := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		points[i] = shortest(n) + "=" + shortest(t.speedup[i])
	}
	return "table:" + strings.Join(points, ",")
}

// byNodes sorts the points of a table.
type byNodes table

func (b byNodes) Len() int           { return len(b.nodes) }
func (b byNodes) Less(i, j int) bool { return b.nodes[i] < b.nodes[j] }
func (b byNodes) Swap(i, j int) {
	b.nodes[i], b.nodes[j] = b.nodes[j], b.nodes[i]
	b.speedup[i], b.speedup[j] = b.speedup[j], b.speedup[i]
}

// ParameterError says which parameter is wrong, of a speedup or a model of jobs, or why a text is not a speedup.
type ParameterError struct {
	Parameter string // "" of a text that has not the form of a speedup
	Problem   string
	Remedy    string // what would be right; may be empty
}

// Error returns the problem and the remedy.
func (e *ParameterError) Error() string {
	text := "workload: "
	if e.Parameter != "" {
		text += e.Parameter + ": "
	}
	if text += e.Problem; e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// noShare is the error of a share that is not between 0 and 1.
func noShare(parameter string, v float64) error {
	problem := fmt.Sprintf("%v is not a fraction between 0 and 1", v)
	if meant := measure.Percentage(v); meant != "" {
		problem += "; " + meant
	}
	return invalid(parameter, "%s", problem)
}

func invalid(parameter, format string, args ...any) error {
	return &ParameterError{Parameter: parameter, Problem: fmt.Sprintf(format, args...)}
}
