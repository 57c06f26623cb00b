package phasetype_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
)

func TestMain(m *testing.M) { needs.Main(m) }

// lumped returns a dense chain of n phases and one of two phases of the same law: phases of the two groups lead to each
// other at rates of mixing in total, to the other group at rates of across, whichever phase it is, and to absorption at
// those of exit.
func lumped(n int, mixing, across float64, exit [2]float64) (dense, small phasetype.Dist) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	alpha, moves, leave := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		alpha[i] = float64(1+i%2) / (1.5 * float64(n)) // a third and two thirds
		leave[i] = exit[i%2]
		var to [2]float64
		row := make([]float64, n)
		for j := range n {
			row[j] = r.ExpFloat64()
			if j != i {
				to[j%2] += row[j]
			}
		}
		for j := range n {
			if rate := mixing; j != i {
				if j%2 != i%2 {
					rate = across
				}
				moves.Set(i, j, row[j]*rate/to[j%2])
			}
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, leave)),
		phasetype.Must(phasetype.FromRates([]float64{1. / 3, 2. / 3}, mat.NewDense(2, 2, []float64{0, across, across, 0}), exit[:]))
}

// A dense chain has the law of the chain of its groups, whether these exchange much or less than a rounding in an event:
// for times from a thousandth of a sojourn to where hardly anything is left, and in the density.
func TestDenseChainsAsGroups(t *testing.T) {
	for _, n := range []int{8, 16, 60} {
		for _, across := range []float64{20, 1, 1e-3, 1e-8, 1e-14} {
			for _, exit := range [][2]float64{{.3, .001}, {1e-9, 1e-6}, {40, .5}} {
				dense, small := lumped(n, 20, across, exit)
				law, want := phasetype.NewLaw(dense), phasetype.NewLaw(small)
				what := fmt.Sprintf("%d phases, %g across, exit %v", n, across, exit)
				for x := 1e-4; x < 1e9; x *= 7 {
					s := want.LogSurvival(x)
					if s < -600 {
						break
					}
					tol := 1e-13 * (1 - s) // roundings of some hundred events, as with the entries one by one
					approx(t, fmt.Sprintf("%s: P(X > %g)", what, x), law.Survival(x), math.Exp(s), tol)
					approx(t, fmt.Sprintf("%s: P(X ≤ %g)", what, x), law.CDF(x), want.CDF(x), tol)
					approx(t, fmt.Sprintf("%s: density at %g", what, x), law.PDF(x), want.PDF(x), tol)
				}
				for _, p := range []float64{.01, .5, .99, .999999} {
					x := want.Quantile(p)
					approx(t, fmt.Sprintf("%s: quantile %g", what, p), law.Quantile(p), x, 1e-13/math.Min(p, 1-p))
				}
			}
		}
	}
}

// stages returns an Erlang distribution of three stages of the given rate, each of n phases that lead to each other.
func stages(n int, rate float64) phasetype.Dist {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	alpha, moves, exit := make([]float64, 3*n), mat.NewDense(3*n, 3*n, nil), make([]float64, 3*n)
	for i := range 3 * n {
		if i < n {
			alpha[i] = 1 / float64(n)
		}
		if i >= 2*n {
			exit[i] = rate
		}
		within, next := make([]float64, n), make([]float64, n)
		var sum float64
		for j := range n {
			within[j], next[j] = r.ExpFloat64(), r.ExpFloat64()
			sum += next[j]
		}
		for j := range n {
			if to := i/n*n + j; to != i {
				moves.Set(i, to, within[j])
			}
			if to := (i/n+1)*n + j; to < 3*n {
				moves.Set(i, to, rate*next[j]/sum)
			}
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}

// TestDenseErlang compares with e^(−y)·(1 + y + y²/2) and with 1 minus it, from y³/6 at 1e-5 to a tail of 1e-280, sums of three
// Erlang distributions whose phases all lead to each other. Measured: 1.1e-12, down to survival 1e-277.
func TestDenseErlang(t *testing.T) {
	for _, n := range []int{6, 30, 60} {
		for _, rate := range []float64{2, .01} {
			l := phasetype.NewLaw(stages(n, rate))
			for _, y := range []float64{1e-5, .001, .1, 1, 5, 20, 80, 300, 650} {
				what := fmt.Sprintf("%d phases a stage, rate %g, y = %g", n, rate, y)
				x := y / rate
				log := math.Log1p(y+y*y/2) - y
				if y >= 1 {
					approx(t, what+": log P(X > x)", l.LogSurvival(x), log, 1e-13)
					approx(t, what+": P(X > x)", l.Survival(x), math.Exp(log), 5e-15*(10+y))
				} else {
					// y³/6·e^(−y)·(1 + y/4 + y²/20 + …): the sum from k = 3 of y^k/k!, times e^(−y)
					sum, term := 0.0, y*y*y/6
					for k := 4; term > 0; k++ {
						sum += term
						term *= y / float64(k)
					}
					approx(t, what+": P(X ≤ x)", l.CDF(x), sum*math.Exp(-y), 1e-13)
				}
				approx(t, what+": density", l.PDF(x), rate*y*y/2*math.Exp(-y), 5e-15*(10+y))
			}
		}
	}
}

// poisson returns the probabilities e^(−a)·a^k/k! up to where they are negligible, from the largest one outwards.
func poisson(a float64) []float64 {
	mode := int(a)
	w := make([]float64, mode+200+int(20*math.Sqrt(a)))
	w[mode] = 1
	for k := mode; k > 0; k-- {
		w[k-1] = w[k] * float64(k) / a
	}
	for k := mode + 1; k < len(w); k++ {
		w[k] = w[k-1] * a / float64(k)
	}
	var sum float64
	for _, x := range w {
		sum += x
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// TestAgainstUniformization compares with Σ_k e^(−a)·a^k/k!·alpha·P^k·1, entry by entry, up to a time that X exceeds with
// the given probability: dense chains, chains with few moves from each phase, and chains that need the table.
func TestAgainstUniformization(t *testing.T) {
	slow, _ := lumped(40, 20, 1e-6, [2]float64{4, .5})
	for name, c := range map[string]struct {
		d    phasetype.Dist
		tail float64
	}{
		"90 phases": {uniform(90), 1e-3}, "60 phases": {uniform(60), 1e-30}, "walk": {neighbours(20), 1e-30},
		"groups": {slow, 1e-30}, "stages": {stages(20, .3), 1e-30},
	} {
		d := c.d
		n, rate := d.Phases(), 0.0
		rates := make([][]float64, n)
		for i := range n {
			rate = math.Max(rate, -d.Rate(i, i))
			for j := range n {
				rates[i] = append(rates[i], d.Rate(i, j))
			}
		}
		l := phasetype.NewLaw(d)
		last := l.InverseSurvival(c.tail)
		xs := []float64{last / 3000, last / 100, last / 10, last / 3, last}
		v, alive, gone := d.Alpha(), []float64{1}, []float64{0}
		for range poisson(rate * last) {
			next := make([]float64, n)
			var sum, absorbed float64
			for i, x := range v {
				absorbed += x * d.Exit()[i] / rate
				next[i] += x * (rate + rates[i][i]) / rate
				for j, r := range rates[i] {
					if j != i && r > 0 {
						next[j] += x * r / rate
					}
				}
			}
			for _, x := range next {
				sum += x
			}
			v, alive, gone = next, append(alive, sum), append(gone, gone[len(gone)-1]+absorbed)
		}
		for _, x := range xs {
			var survival, cdf float64
			for k, w := range poisson(rate * x) {
				survival += w * alive[k]
				cdf += w * gone[k]
			}
			// Each of rate·x events rounds both sums and the weights.
			tol := 5e-14 + 2e-16*rate*x
			approx(t, fmt.Sprintf("%s: P(X > %g)", name, x), l.Survival(x), survival, tol)
			approx(t, fmt.Sprintf("%s: P(X ≤ %g)", name, x), l.CDF(x), cdf, tol)
		}
		approx(t, name+": P(X > x) at its inverse", l.Survival(last), c.tail, 1e-12)
	}
}

// TestOrder: the distribution function rises and quantiles invert it where one method of evaluation follows another.
func TestOrder(t *testing.T) {
	slow, _ := lumped(50, 20, 1e-8, [2]float64{.3, .001})
	for name, d := range map[string]phasetype.Dist{
		"dense": uniform(50), "walk": neighbours(50), "groups": slow, "stages": stages(20, .3),
	} {
		l := phasetype.NewLaw(d)
		low, high := l.Quantile(1e-9), l.InverseSurvival(1e-9)
		before, after := 0.0, 0.0
		for i := range 400 {
			x := low * math.Pow(high/low, float64(i)/399)
			f, s := l.CDF(x), l.LogSurvival(x)
			if f <= before && f < .999 || s >= after {
				t.Errorf("%s: at %g, P(X ≤ x) is %v after %v, log P(X > x) %v after %v", name, x, f, before, s, after)
			}
			before, after = f, s
			if i%8 == 0 {
				approx(t, name+": quantile", l.Quantile(f), x, 1e-11/(1-f))
				approx(t, name+": inverse", l.InverseSurvival(math.Exp(s)), x, 1e-11/f)
			}
		}
	}
}

// TestLawsForgetCalls: the values of a law do not depend on earlier calls, whichever way they are evaluated.
func TestLawsForgetCalls(t *testing.T) {
	slow, _ := lumped(40, 20, 1e-8, [2]float64{.3, .001})
	for name, d := range map[string]phasetype.Dist{
		"dense": uniform(40), "walk": neighbours(40), "groups": slow, "stages": stages(20, .3), "few": uniform(5),
	} {
		asked := phasetype.NewLaw(d)
		asked.InverseSurvival(1e-300)
		asked.Quantile(.5)
		for i := range 40 {
			x := d.Mean() * math.Pow(1.3, float64(i-20))
			if fresh := phasetype.NewLaw(d).LogSurvival(x); asked.LogSurvival(x) != fresh {
				t.Errorf("%s: log P(X > %g) is %v, after other calls %v", name, x, fresh, asked.LogSurvival(x))
			}
		}
	}
}

// TestLawsEnd: all ways of evaluation stop with their context.
func TestLawsEnd(t *testing.T) {
	groups, _ := lumped(600, 20, 1e-14, [2]float64{.3, 1e-12})
	for name, d := range map[string]phasetype.Dist{"groups": groups, "walk": neighbours(400), "stages": stages(200, .01)} {
		phtest.Prompt(t, name, func(ctx context.Context) error {
			phasetype.NewLaw(d).WithContext(ctx).Quantile(.999)
			return ctx.Err()
		}, 50*time.Millisecond)
	}
}

// A law with a context has the values of the law, and NaN once the context has ended.
func TestWithContext(t *testing.T) {
	needs.Concurrency(t)
	law := phasetype.NewLaw(busy(20))
	if got, want := law.WithContext(t.Context()).Quantile(.99), law.Quantile(.99); got != want {
		t.Errorf("quantile %v, without a context %v", got, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	var none context.Context
	for _, ctx := range []context.Context{ended, none} {
		l := law.WithContext(ctx)
		for i, v := range []float64{l.Survival(1), l.LogSurvival(1), l.CDF(1), l.PDF(1), l.LogProb(1), l.Quantile(.1),
			l.Quantile(.9), l.InverseSurvival(.1), l.InverseSurvival(.9)} {
			if !math.IsNaN(v) {
				t.Errorf("function %d is %v after the end of the context", i, v)
			}
		}
	}
}

// ending is a context that ends when its error has been asked for so many times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestLawsOutliveContexts: wherever a context ends the making of a table, later values are those of a new law.
func TestLawsOutliveContexts(t *testing.T) {
	slow, _ := lumped(60, 20, 1e-8, [2]float64{.3, .001})
	for name, d := range map[string]phasetype.Dist{"walk": neighbours(60), "groups": slow} {
		for _, times := range []float64{.5, 4, 400} { // the last is beyond the list of events
			x := times * d.Mean()
			want := phasetype.NewLaw(d).LogSurvival(x)
			for asked, ended := 0, true; ended; asked += 1 + asked/4 {
				l := phasetype.NewLaw(d)
				ended = math.IsNaN(l.WithContext(&ending{t.Context(), asked}).LogSurvival(x))
				if got := l.LogSurvival(x); got != want {
					t.Errorf("%s: log P(X > %g) is %v after a context that ended, %v without", name, x, got, want)
				}
			}
		}
	}
}

// TestRarelyPositive: tails keep their digits where nearly all values are zero.
func TestRarelyPositive(t *testing.T) {
	for _, p := range []float64{.3, 1e-5, 1e-12} {
		d := phasetype.Must(phasetype.New([]float64{p}, mat.NewDense(1, 1, []float64{-1})))
		approx(t, fmt.Sprintf("P(X > 1) with probability %g of a positive value", p), phasetype.NewLaw(d).Survival(1), p*math.Exp(-1), 1e-14)
	}
}
