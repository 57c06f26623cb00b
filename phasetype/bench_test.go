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

func BenchmarkQuantile(b *testing.B) {
	for _, n := range []int{2, 10} {
		l := phasetype.NewLaw(busy(n))
		b.Run(fmt.Sprintf("dense/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				l.Quantile(0.99)
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for name, d := range map[string]phasetype.Dist{
		"exponential/n=1":      phasetype.Must(phasetype.Exponential(1)),
		"hyperexponential/n=2": phasetype.Must(phasetype.TwoMoments(1, 4)),
		"erlang/n=4":           phasetype.Must(phasetype.Erlang(4, 1)),
	} {
		s, r := phasetype.NewSampler(d), rand.New(rand.NewPCG(1, 2))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Draw(r)
			}
		})
	}
}
