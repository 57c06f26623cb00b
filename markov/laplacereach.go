package markov

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/cmplxs"

	"github.com/partwise/partwise/markov/internal/block"
)

// unreached is the largest share of jobs, each weighted by E e^{−c·W} of its wait W, that [QueueTransform.reaching] leaves out.
const unreached = 1e-15

// reaching returns the number of levels above N that matter for transforms at s with the real part c. Jobs at higher
// levels reach the servers too late. far is the probability that an arriving job finds a higher level. Such jobs count as if they
// waited for ever, so that the transform of the probability that they wait is far/s. By the phase of a job with a jobs
// before it, let g_a be E e^{−c·W} for the time W until it is served. Then
//
//	(cI − Local − Up)·g_a = Down·g_{a−1},   g_{−1} = 1,
//
// and a job with a jobs before it changes transforms by 2·g_a/c or less if it counts as waiting for ever.
func (w *QueueTransform) reaching(c float64) (near int, far float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	mass := func(from int) (sum float64) {
		for _, start := range w.starts[from:] {
			sum += real(cmplxs.Sum(start))
		}
		return sum
	}
	if near, ok := w.reached[c]; ok {
		return near, mass(near)
	}
	soon := w.soonServed(c)
	far = mass(0)
	soon()
	for near < len(w.starts) && far*soon() > unreached {
		far = max(0, far-real(cmplxs.Sum(w.starts[near])))
		near++
	}
	if w.reached == nil {
		w.reached = map[float64]int{}
	}
	w.reached[c] = near
	return near, mass(near)
}

// soonServed returns a function whose call number a, from 0 on, returns the largest entry of g_a of [QueueTransform.reaching].
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
			largest = math.Max(largest, cmplx.Abs(v))
		}
		return largest
	}
}
