package markov

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
)

// levels is [QueueTransform.At] without modes. Let A be the number of levels that can matter. With all b together, the
// vectors follow from a = A down to a = 0 by one right-hand side each. One by one,
//
//	w_ab·(sI − Local) = w_{a,b−1}·Up + w_{a+1,b}·Down + δ_b0·π_{N+a}·Up/λ
//
// depends on vectors of A − a + b one less. So step t finds all vectors with A − a + b = t as the rows of one matrix: the
// column of b holds the vector of a = A + b − t. These are A + B steps of up to B right-hand sides, instead of A·B
// steps. Columns whose a is above A are zero, and columns whose a is below 0 have no meaning; no column with a meaning
// depends on them.
//
// Brief phases, see [phasesByDuration], matter only where a + b ≤ K. These are the steps from A − K to A + K. All other
// steps leave them out. If all jobs stop during a repartition, repartitions are brief. They are most phases of a machine,
// and K is the number of jobs that arrive during one.
func (w *QueueTransform) levels(ctx context.Context, s complex128, behind int) (waiting complex128, next [][]complex128, err error) {
	every := w.shifted(s, 0, 1)
	near, far := w.reaching(real(s))
	waiting = complex(far, 0) / s
	starts := append([][]complex128{w.first}, w.starts[:near]...)
	slices.Reverse(starts)                  // from a = A down to 0
	total := make([]complex128, len(w.out)) // Σ_b w_ab
	for _, start := range starts {
		all := slices.Clone(start)
		add(all, total, w.down)
		every(all)
		total = all
		waiting += cmplxs.Sum(all)
	}
	next = w.vectors(behind)
	front := w.newWavefront(s, behind)
	last := len(starts) - 1
	for t := range last + behind {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		var start []complex128
		if t <= last {
			start = starts[t]
		}
		front.step(last-t, start, max(0, t-last), min(t+1, behind))
		if b := t - last; b >= 0 {
			front.column(next[b], b)
			cmplxs.Sub(total, next[b])
		}
	}
	next[behind] = total
	return waiting, next, nil
}

// phasesByDuration lists the lasting phases first, then the brief ones. A phase is brief if hardly any job meets it while
// more than K other jobs wait. The number of jobs that meet phase i with a jobs before and b jobs behind them, for each
// arriving job, is at most π_{N+1+a+b}(i)·out_i/λ.
type phasesByDuration struct {
	order   []int // the phases
	place   []int // by phase: its index in order
	lasting int   // number of lasting phases
	most    int   // K

	// The factors of the transpose of sI − Local of the lasting phases, and of all phases.
	someFactors, allFactors *block.ComplexFactors
}

// unmet is how often an arriving job may meet a brief phase while more than K other jobs wait.
const unmet = 1e-15

// newPhasesByDuration finds the brief phases. flows holds π_{N+1+k}(i)·out_i/λ for each k ≥ 0 whose level is stored. Lasting
// phases take part in all steps, brief phases in 2K + 1 of them. K is chosen for the least work.
func (w *QueueTransform) newPhasesByDuration(flows [][]float64) *phasesByDuration {
	n, steps := len(w.out), len(flows)
	least := leastBrief(flows, n)
	d, fewest := &phasesByDuration{place: make([]int, n)}, math.MaxInt
	for k, brief := range countUpTo(least, steps) {
		if rows := n*steps - brief*max(0, steps-2*k-1); rows < fewest {
			d.most, d.lasting, fewest = k, n-brief, rows
		}
	}
	var brief []int
	for i, k := range least {
		if k > d.most {
			d.order = append(d.order, i)
		} else {
			brief = append(brief, i)
		}
	}
	d.order = append(d.order, brief...)
	for at, i := range d.order {
		d.place[i] = at
	}
	d.someFactors = block.FactorComplex(d.lasting, w.ordered(d, complex(w.rate, 0), d.lasting))
	d.allFactors = block.FactorComplex(n, w.ordered(d, complex(w.rate, 0), n))
	return d
}

// leastBrief returns the least K with which each of n phases is brief, see [QueueTransform.newPhasesByDuration].
func leastBrief(flows [][]float64, n int) []int {
	least := make([]int, n)
	for i := range least {
		k, met := len(flows), 0.0
		for ; k > 0; k-- {
			// k pairs of a and b have the sum k − 1.
			if met += float64(k) * flows[k-1][i]; met > unmet {
				break
			}
		}
		least[i] = k
	}
	return least
}

// countUpTo returns how many of the values are at most k, for each k from 0 to most.
func countUpTo(values []int, most int) []int {
	counts := make([]int, most+1)
	for _, v := range values {
		counts[v]++
	}
	for k := range most {
		counts[k+1] += counts[k]
	}
	return counts
}

// ordered returns the function that adds a row of the transpose of sI − Local to a row of zeros, for the first n phases in
// the given order.
func (w *QueueTransform) ordered(d *phasesByDuration, s complex128, n int) func(at int, row []complex128) {
	return func(at int, row []complex128) {
		i := d.order[at]
		row[at] = s + complex(w.out[i], 0)
		for _, e := range w.into[0][i] {
			if from := d.place[e.from]; from < n {
				row[from] -= complex(e.rate, 0)
			}
		}
	}
}

// wavefront holds the vectors of a step of [QueueTransform.levels], by the place of phases in an order: the real and the
// imaginary parts of place i in rows 2i and 2i+1, a column for each number of jobs behind. Before the columns stands a
// column of zeros.
type wavefront struct {
	*phasesByDuration
	stride    int
	now, next []float64
	some, all frontEquations // of the lasting phases, and of all phases
}

// frontEquations are the equations of a step for the phases in the first places of a wavefront.
type frontEquations struct {
	local   *block.ComplexRows // factors of sI − Local
	offsets [][]int32          // by place: where the real parts begin that flow to the phase, by Down, and by Up one column before
	rates   [][]float64
}

// newWavefront returns a wavefront of zeros.
func (w *QueueTransform) newWavefront(s complex128, behind int) *wavefront {
	d := w.durations
	f := &wavefront{phasesByDuration: d, stride: block.PaddedLen(behind) + 4}
	f.now, f.next = make([]float64, 2*len(d.order)*f.stride), make([]float64, 2*len(d.order)*f.stride)
	equations := func(n int, pattern *block.ComplexFactors) frontEquations {
		e := frontEquations{pattern.Again(w.ordered(d, s, n)).ByRows(), make([][]int32, n), make([][]float64, n)}
		for at, i := range d.order[:n] {
			for k, list := range [2][]entry{w.into[1][i], w.into[2][i]} {
				for _, t := range list {
					if from := d.place[t.from]; from < n {
						e.offsets[at] = append(e.offsets[at], int32(2*from*f.stride+1-k))
						e.rates[at] = append(e.rates[at], t.rate)
					}
				}
			}
		}
		return e
	}
	f.some, f.all = equations(d.lasting, d.someFactors), equations(len(d.order), d.allFactors)
	return f
}

// step finds the vectors of the next step in the columns from first to last−1, and some columns beside them. The vector
// of column 0 has ahead jobs before it; a negative number has no meaning. start is added to the right-hand side of
// column 0, unless it is nil.
func (f *wavefront) step(ahead int, start []complex128, first, last int) {
	e := f.all
	if ahead < -f.most || f.most < ahead {
		e = f.some
	}
	first, last = first/4*4, (last+3)/4*4
	for i, offsets := range e.offsets {
		for part := range 2 {
			row := f.next[(2*i+part)*f.stride+1:][first:last]
			block.CombineOffsets(row, e.rates[i], offsets, f.now[part*f.stride+first:])
		}
	}
	if start != nil {
		for at := range e.offsets {
			v := start[f.order[at]]
			f.next[2*at*f.stride+1] += real(v)
			f.next[(2*at+1)*f.stride+1] += imag(v)
		}
	}
	e.local.Solve(f.next[1:], f.stride, first, last)
	f.now, f.next = f.next, f.now
}

// column sets to to the vector of b jobs behind. Steps without brief phases leave numbers of an earlier step for these
// phases, which are as small.
func (f *wavefront) column(to []complex128, b int) {
	for at, i := range f.order {
		to[i] = complex(f.now[2*at*f.stride+1+b], f.now[(2*at+1)*f.stride+1+b])
	}
}
