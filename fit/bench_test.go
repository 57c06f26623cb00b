package fit

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPhaseType fits canonical form 1 in the default configuration, the orders below included, to quantiles of Weibull,
// lognormal, log-uniform, bimodal and nearly constant times. Measured on two shared cores of an AMD EPYC, the best of some forty
// runs: five phases 6 to 24 ms for 1000 values and at most 97 ms for 100,000, ten phases 35 to 238 ms and at most 296 ms.
func BenchmarkPhaseType(b *testing.B) {
	for _, name := range []string{"weib07", "lnorm12", "loguni", "bimodal", "det"} {
		for _, n := range []int{1000, 100_000} {
			if n > 1000 && !strings.HasPrefix(name, "l") {
				continue
			}
			s := Sample{Values: recipe(name, n)}
			for _, m := range []int{5, 10} {
				b.Run(fmt.Sprintf("%s/n=%d/m=%d", name, n, m), func(b *testing.B) {
					for b.Loop() {
						if _, err := PhaseType(b.Context(), s, Options{MinPhases: m, MaxPhases: m}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkHyperErlang fits mixtures of all shapes at the orders from 1. CPU time on one shared core of an AMD EPYC, the best of
// several runs: weib07 11 ms, loguni 7 ms, lnorm12 5 ms, bimodal 2.2 ms and det .9 ms. The hyperexponential family, which is
// fitted first, takes more than half of weib07. A value takes one exponential function for each branch but one, and a logarithm.
func BenchmarkHyperErlang(b *testing.B) {
	for _, name := range []string{"weib07", "lnorm12", "loguni", "bimodal", "det"} {
		s := Sample{Values: recipe(name, 1000)}
		b.Run(name+"/n=1000/m=5", func(b *testing.B) {
			for b.Loop() {
				_, err := PhaseType(b.Context(), s, Options{MinPhases: 5, MaxPhases: 5, Families: []Family{HyperErlang}})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkProfile evaluates the likelihood of 1000 values at the best alpha and its derivatives by the rates.
func BenchmarkProfile(b *testing.B) {
	p := mustProblem(b, Sample{Values: recipe("weib07", 1000)})
	for _, m := range []int{2, 5, 10} {
		a := newProfileLikelihood(p.logGrid(b.Context(), splitFor(m)), m)
		y := logsOf(geometric(m, 100, 1).rates)
		b.Run(fmt.Sprintf("n=1000/m=%d", m), func(b *testing.B) {
			for b.Loop() {
				a.Value(b.Context(), y)
				a.Gradient(b.Context())
			}
		})
	}
}

// BenchmarkSketch adds a value to a sketch that no longer keeps the values themselves.
func BenchmarkSketch(b *testing.B) {
	xs := recipe("lnorm12", 4096)
	s := new(Sketch)
	s.summarise()
	for i := 0; b.Loop(); i++ {
		if err := s.Add(xs[i%4096], 1, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkArrivals fits 10,000 times in order.
func BenchmarkArrivals(b *testing.B) {
	s := Sample{Values: recipe("lnorm12", 10_000)}
	for _, m := range []int{2, 4} {
		b.Run(fmt.Sprintf("n=10000/m=%d", m), func(b *testing.B) {
			for b.Loop() {
				if _, err := Arrivals(b.Context(), s, Options{MinPhases: m, MaxPhases: m}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
