package phasetype_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// busy has all moves between n phases and leaves them slowly: about a thousand moves per phase before absorption.
func busy(n int) phasetype.Dist {
	r := rand.New(rand.NewPCG(1, 2))
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		alpha[i] = 1 / float64(n)
		exit[i] = r.ExpFloat64() / 1000
		for j := range n {
			moves.Set(i, j, r.ExpFloat64())
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{2, 10, 100} {
		d := busy(n)
		alpha, t := d.Alpha(), d.T()
		b.Run(fmt.Sprintf("dense/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := phasetype.New(alpha, t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSurvival(b *testing.B) {
	for _, n := range []int{2, 10, 100} {
		for name, d := range map[string]phasetype.Dist{"dense": busy(n), "erlang": phasetype.Must(phasetype.Erlang(n, 1))} {
			l := phasetype.NewLaw(d)
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				x := 2 * d.Mean()
				for b.Loop() {
					l.Survival(x)
				}
			})
		}
	}
}

// BenchmarkLaw is the time of a new law for one value, for 100 values, and for a quantile. The dense chains have all
// moves between their phases: "mixing" soon forgets where it started, "slow" hardly ever leaves one half of its phases.
// "walk" moves between neighbours. Measured for 100 values, 100 and 300 phases, in CPU time: slow 1.1 and 15 ms, walk 1.0 and 16 ms.
// scipy.linalg.expm and 100 products of a row with it take 1.1 and 27, 1.1 and 28 ms on the same processor.
func BenchmarkLaw(b *testing.B) {
	slow := func(n int) phasetype.Dist {
		d, _ := lumped(n, 20, 1e-8, [2]float64{.3, .001})
		return d
	}
	for _, c := range []struct {
		name  string
		chain func(n int) phasetype.Dist
		sizes []int
	}{
		{"mixing", uniform, []int{2, 10, 50, 300, 1000}},
		{"slow", slow, []int{10, 50, 300}},
		{"walk", neighbours, []int{10, 50, 300}},
	} {
		for _, n := range c.sizes {
			d := c.chain(n)
			for _, f := range []struct {
				name     string
				evaluate func(l *phasetype.Law)
			}{
				{"cdf", func(l *phasetype.Law) { l.CDF(5) }},
				{"100-cdf", func(l *phasetype.Law) {
					for i := range 100 {
						l.CDF(d.Mean() * float64(i) / 25)
					}
				}},
				{"quantile", func(l *phasetype.Law) { l.Quantile(0.99) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/n=%d", f.name, c.name, n), func(b *testing.B) {
					for b.Loop() {
						f.evaluate(phasetype.NewLaw(d))
					}
				})
			}
		}
	}
}

// neighbours is a random walk on n phases that ends behind the last.
func neighbours(n int) phasetype.Dist {
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		alpha[i] = 1 / float64(n)
		if i > 0 {
			moves.Set(i, i-1, 1)
		}
		if i < n-1 {
			moves.Set(i, i+1, 1.01)
		}
	}
	exit[n-1] = 1
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}

// uniform has all moves between n phases, at rates up to one, and leaves each phase at such a rate.
func uniform(n int) phasetype.Dist {
	r := rand.New(rand.NewPCG(3, 4))
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		alpha[i], exit[i] = 1/float64(n), r.Float64()
		for j := range n {
			moves.Set(i, j, r.Float64())
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}

// BenchmarkDraw gives the values drawn per second by one goroutine. Measured, in millions, on two shared cores of an AMD EPYC, the
// best of three runs: exponential 63, hyperexponential 36, Erlang 25 to 41, canonical form 1 with up to 10 phases 15 to 24 (2.2 with
// 100), a thousand moves before the end 34 to 36.
func BenchmarkDraw(b *testing.B) {
	for _, c := range []struct {
		name string
		d    phasetype.Dist
	}{
		{"exponential/n=1", phasetype.Must(phasetype.Exponential(1))},
		{"hyperexponential/n=2", phasetype.Must(phasetype.TwoMoments(1, 4))},
		{"erlang/n=4", phasetype.Must(phasetype.Erlang(4, 1))},
		{"erlang/n=10", phasetype.Must(phasetype.Erlang(10, 1))},
		{"erlang/n=100", phasetype.Must(phasetype.Erlang(100, 1))},
		{"cf1/n=2", ladder(2)},
		{"cf1/n=5", ladder(5)},
		{"cf1/n=10", ladder(10)},
		{"cf1/n=100", ladder(100)},
		{"busy/n=2", busy(2)},
		{"busy/n=10", busy(10)},
		{"busy/n=100", busy(100)},
	} {
		v := c.d.With(rand.NewPCG(1, 2))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.Rand()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

// ladder is in canonical form 1, entered anywhere, its rates rising by half from phase to phase up to the tenth.
func ladder(n int) phasetype.Dist {
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	rate := 1.0
	for i := range n {
		alpha[i] = 1 / float64(n)
		if i < 10 {
			rate *= 1.5
		} else {
			rate *= 1.01
		}
		if i < n-1 {
			moves.Set(i, i+1, rate)
		} else {
			exit[i] = rate
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}

// BenchmarkWith is the time before the first value.
func BenchmarkWith(b *testing.B) {
	for _, c := range []struct {
		name string
		d    phasetype.Dist
	}{{"cf1/n=10", ladder(10)}, {"busy/n=10", busy(10)}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.d.With(nil)
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, n := range []int{5, 20, 100} {
		d := ladder(n)
		b.Run(fmt.Sprintf("cf1/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Canonical(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDenseCDF is 100 values of the distribution function, tables included, of a chain without zeros. Measured for 100, 300 and
// 1000 phases on one processor: .23, 2.2 and 29 ms of CPU time. One scipy.linalg.expm for equal steps, and 100 products of a row with
// the result, take .7, 10.6 and 355 ms with OpenBLAS on a quiet machine.
func BenchmarkDenseCDF(b *testing.B) {
	for _, n := range []int{20, 100, 300, 1000} {
		alpha, exit := make([]float64, n), make([]float64, n)
		moves := mat.NewDense(n, n, nil)
		for i := range n {
			alpha[i], exit[i] = 1/float64(n), float64(i%7+1)/7
			for j := range n {
				if i != j {
					moves.Set(i, j, float64((31*i*i+17*j*j+13*i*j)%1009+1)/1009)
				}
			}
		}
		d := phasetype.Must(phasetype.FromRates(alpha, moves, exit))
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			for b.Loop() {
				l := phasetype.NewLaw(d)
				for k := range 100 {
					l.CDF(d.Mean() * float64(k+1) / 25)
				}
			}
		})
	}
}
