package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
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

// At returns S(n).
func (a Amdahl) At(n float64) float64 { return 1 / (a.Serial + (1-a.Serial)/n) }

// String returns "amdahl:" and the serial fraction.
func (a Amdahl) String() string { return form("amdahl", a.Serial) }

// Power is the speedup S(n) = n^Exponent.
type Power struct{ Exponent float64 }

// At returns n^Exponent.
func (p Power) At(n float64) float64 { return math.Pow(n, p.Exponent) }

// String returns "power:" and the exponent.
func (p Power) String() string { return form("power", p.Exponent) }

// dowdy is the speedup of an execution signature C₁ + C₂/n, written with the ratio Beta = C₂/C₁,
//
//	S(n) = (1 + Beta)·n / (Beta + n);
//
// it tends to 1 + Beta. A job that was split into Threads when it was started, unless that is 0, has it but for the load imbalance:
// the node with the most threads has ⌈Threads/n⌉ of them, so that
//
//	S(n) = (1 + Beta)·n/(Beta + n) · Threads/(n·⌈Threads/n⌉),
//
// and nodes beyond the number of threads are idle. Where n divides the number of threads both are the same.
//
// References: L. W. Dowdy, On the partitioning of multiprocessor systems, Technical Report 88-06, Vanderbilt
// University, 1988. C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel
// computers, Technical Report 94-10-05, University of Washington, 1994, section 5.2. There the factor is written as
// (⌊N/n⌋/⌈N/n⌉·(n − N mod n) + N mod n)/n, which is the same.
type dowdy struct{ Beta, Threads float64 }

// At returns S(n).
func (d dowdy) At(n float64) float64 {
	if d.Threads == 0 {
		return (1 + d.Beta) * n / (d.Beta + n)
	}
	n = min(n, d.Threads)
	most := math.Ceil(d.Threads / n * (1 - 1e-12)) // 128/3 nodes have 3 threads of 128 each, whatever the rounding
	return dowdy{Beta: d.Beta}.At(n) * d.Threads / (n * most)
}

// String returns "dowdy:" and beta, or "dowdy-static:", beta and the number of threads.
func (d dowdy) String() string {
	if d.Threads == 0 {
		return form("dowdy", d.Beta)
	}
	return form("dowdy-static", d.Beta, d.Threads)
}

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

// table is a measured speedup, linear between the numbers of nodes at which it was measured, in ascending order.
type table []struct{ nodes, speedup float64 }

// newTable returns the table of pairs of a number of nodes and its speedup. The numbers of nodes must be different and
// at least 1, the speedups positive and at most the number of nodes. The speedup of one node, if it is there, must be
// 1.
func newTable(pairs []float64) (Speedup, error) {
	t := make(table, len(pairs)/2)
	for i := range t {
		t[i].nodes, t[i].speedup = pairs[2*i], pairs[2*i+1]
	}
	slices.SortFunc(t, func(a, b struct{ nodes, speedup float64 }) int { return cmp.Compare(a.nodes, b.nodes) })
	for i, p := range t {
		switch {
		case !(p.nodes >= 1) || math.IsInf(p.nodes, 1):
			return nil, invalid("table", "%v is not a number of nodes", p.nodes)
		case i > 0 && p.nodes == t[i-1].nodes:
			return nil, invalid("table", "%v appears twice", p.nodes)
		case !(p.speedup > 0) || math.IsInf(p.speedup, 1):
			return nil, invalid("table", "the speedup of %v nodes is %v, not a positive number", p.nodes, p.speedup)
		case p.nodes == 1 && p.speedup != 1:
			return nil, invalid("table", "the speedup of one node is %v; it is 1 by definition", p.speedup)
		case p.speedup > p.nodes:
			return nil, invalid("table", "the speedup of %v nodes is %v, more than the number of nodes; use at most %v", p.nodes, p.speedup,
				p.nodes)
		}
	}
	switch {
	case len(pairs) == 0:
		return nil, invalid("table", "is empty")
	case len(pairs)%2 != 0:
		return nil, invalid("table", "%v nodes have no speedup", pairs[len(pairs)-1])
	}
	return t, nil
}

// Range returns the smallest and the largest number of nodes of the table.
func (t table) Range() (low, high float64) { return t[0].nodes, t[len(t)-1].nodes }

// Covers reports whether n nodes lie in the range of the table.
func (t table) Covers(n float64) bool {
	low, high := t.Range()
	return low <= n && n <= high
}

// At returns S(n); outside of the table it is NaN, see Covers.
func (t table) At(n float64) float64 {
	if !t.Covers(n) {
		return math.NaN()
	}
	i := sort.Search(len(t), func(i int) bool { return t[i].nodes >= n })
	if t[i].nodes == n {
		return t[i].speedup
	}
	w := (n - t[i-1].nodes) / (t[i].nodes - t[i-1].nodes)
	return (1-w)*t[i-1].speedup + w*t[i].speedup
}

// String returns "table:" and the points, as in table:1=1,2=1.95,4=3.7.
func (t table) String() string {
	points := make([]string, len(t))
	for i, p := range t {
		points[i] = fmt.Sprintf("%v=%v", p.nodes, p.speedup)
	}
	return "table:" + strings.Join(points, ",")
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

// invalid returns the error of a parameter.
func invalid(parameter, format string, args ...any) error {
	return &ParameterError{Parameter: parameter, Problem: fmt.Sprintf(format, args...)}
}
