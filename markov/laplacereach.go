package markov

import (
	"math/cmplx"

	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
)

// unreached is the largest share of jobs, each weighted by E e^{−c·W} of its wait W, that [QueueTransform.reaching]
// leaves out.
const unreached = 1e-15

// reaching returns the number of levels above N that matter for transforms at s with the real part c. Jobs at higher
// levels reach the servers too late. far is the probability that an arriving job finds a higher level. Such jobs count
// as if they waited for ever, so far/s is the transform of the probability that they wait. Let W be the time until a
// job with a jobs before it is served, and g_a its transform E e^{−c·W}, by phase. Then
//
//	(cI − Local − Up)·g_a = Down·g_{a−1},   g_{−1} = 1,
//
// and a job with a jobs before it changes transforms by at most 2·g_a/c if it counts as waiting for ever. Results are
// stored for each c. It is safe for concurrent use.
func (w *QueueTransform) reaching(c float64) (near int, far float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r, ok := w.reached[c]; ok {
		return r.near, r.far
	}
	mass := func(from int) (sum float64) {
		for _, start := range w.starts[from:] {
			sum += real(cmplxs.Sum(start))
		}
		return sum
	}
	soon := w.soonServed(c)
	soon() // a job that finds level N is counted in each case
	for far = mass(0); near < len(w.starts) && far*soon() > unreached; near++ {
		far = max(0, far-real(cmplxs.Sum(w.starts[near])))
	}
	far = mass(near) // has more digits than the difference
	if w.reached == nil {
		w.reached = map[float64]reach{}
	}
	w.reached[c] = reach{near, far}
	return near, far
}

// reach is the result of [QueueTransform.reaching] for one Re s.
type reach struct {
	near int
	far  float64
}

// soonServed returns a function whose call number a, from 0 on, returns the largest entry of g_a of
// [QueueTransform.reaching]: a bound on E e^{−c·W} of a job with a jobs before it.
func (w *QueueTransform) soonServed(c float64) func() float64 {
	n := len(w.out)
	rows := make([][]entry, n)
	for _, list := range [2][]entry{w.local, w.up} {
		for _, e := range list {
			rows[e.from] = append(rows[e.from], e)
		}
	}
	factors := block.FactorComplex(n, func(i int, row []complex128) {
		row[i] = complex(c+w.out[i], 0)
		for _, e := range rows[i] {
			row[e.to] -= complex(e.rate, 0)
		}
	})
	g := make([]complex128, n)
	for i := range g {
		g[i] = 1
	}
	return func() float64 {
		next := make([]complex128, n)
		for _, e := range w.down {
			next[e.from] += complex(e.rate, 0) * g[e.to]
		}
		factors.Solve(next)
		g = next
		largest := 0.0
		for _, v := range g {
			largest = max(largest, cmplx.Abs(v))
		}
		return largest
	}
}
