package phasetype

import "math/rand/v2"

// Random is a distribution with a source of random numbers, made by [Dist.With]. It satisfies the interfaces Rander,
// LogProber and Quantiler of gonum's package distuv. Its functions share their tables; see [Law]. Rand must not be
// called from several goroutines at once.
type Random struct {
	Law
	source *rand.Rand
	walk   bool // from phase to phase; otherwise values are quantiles
}

// longWalk is the mean number of phases that a value may pass for values to be drawn by a walk through the phases.
const longWalk = 1000

// With returns d with a source of random numbers; nil stands for the functions of package math/rand/v2, which are
// seeded at random. The same source gives the same values. A value is the time of a walk through the phases or, if walks
// are very long, a quantile of a uniform variable.
func (d Dist) With(src rand.Source) *Random {
	if isNil(src) {
		src = global{}
	}
	times := d.Alpha()
	d.eliminate().solveRow(times)
	var visits float64
	for i, t := range times {
		visits -= t * d.Rate(i, i)
	}
	return &Random{Law: *NewLaw(d), source: rand.New(src), walk: visits <= longWalk}
}

// Rand returns a value of the distribution; of the zero Random it is 0.
func (r *Random) Rand() (x float64) {
	switch d := r.Dist; {
	case d.n == 0:
		return 0
	case !r.walk:
		return r.InverseSurvival(1 - r.source.Float64())
	default:
		n := d.n
		for i := r.choose(d.alpha, 1); i < n; {
			rate := -d.Rate(i, i)
			x += r.source.ExpFloat64() / rate
			i = r.choose(d.t[i*n:(i+1)*n], rate)
		}
		return x
	}
}

// choose returns the place of one of the positive weights with a probability in proportion to it, len(weights) with what
// is left of the total.
func (r *Random) choose(weights []float64, total float64) int {
	u := r.source.Float64() * total
	for i, w := range weights {
		if u -= max(w, 0); u < 0 {
			return i
		}
	}
	return len(weights)
}

// global is the source behind the functions of package math/rand/v2.
type global struct{}

func (global) Uint64() uint64 { return rand.Uint64() }
