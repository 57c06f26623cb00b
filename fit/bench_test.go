package fit

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPhaseType fits canonical form 1 in the default configuration, the orders below included.
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
						if _, err := PhaseType(s, Options{MinPhases: m, MaxPhases: m}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkEStep evaluates the likelihood of 1000 values and all its derivatives.
func BenchmarkEStep(b *testing.B) {
	p := mustProblem(b, Sample{Values: recipe("weib07", 1000)})
	for _, m := range []int{2, 5, 10} {
		a := newAscent(p.grid(split(m)), m)
		y := a.parameters(ladder(m, 100, 1))
		b.Run(fmt.Sprintf("n=1000/m=%d", m), func(b *testing.B) {
			for b.Loop() {
				a.evaluate(y)
			}
		})
	}
}
