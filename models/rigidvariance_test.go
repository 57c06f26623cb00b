package models_test

import (
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// TestRigidVarianceIsErlangC: in M/M/c, P(W > t) = P(wait)·e^{−a·t} with a = c·μ − λ. So E[W²] = 2·P(wait)/a².
func TestRigidVarianceIsErlangC(t *testing.T) {
	const servers, lambda, mean = 5, 2.0, 2.0
	m := chained(t, rigidSystem(t, 2*servers, poisson(lambda), rigidClass{1, 2, must(phasetype.Erlang(1, mean))}), policy.FCFS{})
	rate, wait := servers/mean-lambda, erlangC(servers, lambda*mean)
	variance := (2*wait - wait*wait) / (rate * rate)
	near(t, "Var[W]", m.Variances.WaitingTime, variance, rigidTol)
	near(t, "Var[T]", m.Variances.ResponseTime, variance+mean*mean, rigidTol)
}

// TestRigidVarianceIsTakacs: jobs that need the whole machine are M/G/1, where E[W²] = 2·E[W]² + λ·E[S³]/(3·(1 − ρ)).
//
// Reference: L. Takács, A single-server queue with Poisson input, Oper. Res. 10 (1962) 388–394.
func TestRigidVarianceIsTakacs(t *testing.T) {
	short, long := must(phasetype.Erlang(3, 1)), must(phasetype.BalancedHyperexponential(5, 4))
	const lambda, p = 0.3, 0.7
	m := chained(t, rigidSystem(t, 6, poisson(lambda), rigidClass{p, 6, short}, rigidClass{1 - p, 6, long}), policy.FCFS{})
	moment := func(k int) float64 { return p*short.Moment(k) + (1-p)*long.Moment(k) }
	idle := 1 - lambda*moment(1)
	wait := lambda * moment(2) / (2 * idle)
	variance := wait*wait + lambda*moment(3)/(3*idle)
	near(t, "Var[W]", m.Variances.WaitingTime, variance, rigidTol)
	near(t, "Var[T]", m.Variances.ResponseTime, variance+moment(2)-moment(1)*moment(1), rigidTol)
	near(t, "Var[T] of a class", m.Classes[1].Variances.ResponseTime, variance+long.Variance(), rigidTol)
}

// TestRigidDistributionalLittle: with Poisson arrivals, jobs of one size that arrive during a wait are those found in the queue,
// so that E[W²] = E[Q·(Q − 1)]/(λ·p)². A variance is of a square: its bound is twice that of means. Another factor stands for the
// difference of E[W²] and E[W]².
//
// Reference: J. Keilson, L. D. Servi, A distributional form of Little's law, Oper. Res. Lett. 7 (1988) 223–227.
func TestRigidDistributionalLittle(t *testing.T) {
	needs.Concurrency(t)
	for _, r := range rigidReferences(t).Instances {
		if len(r.Expected.VarWait) == 0 || len(r.Classes) < 2 { // other arrivals, or classes
			continue
		}
		s, m := r.system(t), r.firstComeFirstServed(t)
		moments := must(models.RigidFactorialMoments(t.Context(), must(s.Chain(policy.FCFS{}))))
		for k, c := range m.Classes {
			rate := s.Arrivals.Rate() * c.Share
			want := moments[k]/(rate*rate) - c.MeanWaitingTime*c.MeanWaitingTime
			near(t, r.Name+": Var[W] of class "+c.Name, c.Variances.WaitingTime, want, 4*m.Diagnostics.ErrorBound)
		}
	}
}

// TestRigidVarianceOfTransform: E[W²]/2 = ∫ t·P(W > t) dt, minus the derivative of the transform F of P(W > t) at s = 0, for any
// arrivals. D(s) = (F(s) − F(2s))/s differs from the derivative by polynomials of s, and so (D(4s) − 6·D(2s) + 8·D(s))/3 by
// s³·E[W⁵] or so: some 1e-6 here. The transform has 13 digits; the differences lose five of them.
func TestRigidVarianceOfTransform(t *testing.T) {
	needs.Concurrency(t)
	for _, r := range rigidReferences(t).Instances {
		if r.Name != "mmpp" && r.Name != "h2-arrivals" && r.Name != "two-sizes-2-3-of-5" {
			continue
		}
		m := r.firstComeFirstServed(t)
		transform := must(models.RigidWaitTransforms(t.Context(), must(r.system(t).Chain(policy.FCFS{}))))
		for k, c := range m.Classes { // their sizes increase
			step := 5e-4 * c.MeanWaitingTime / (c.Variances.WaitingTime + c.MeanWaitingTime*c.MeanWaitingTime)
			var f []float64
			for _, x := range []float64{1, 2, 4, 8} {
				f = append(f, real(must(transform(k, complex(x*step, 0)))))
			}
			var d []float64
			for i, pair := range slices.Collect(slices.Chunk([]float64{f[0], f[1], f[1], f[2], f[2], f[3]}, 2)) {
				d = append(d, (pair[0]-pair[1])/(step*float64(int(1)<<i)))
			}
			square := 2 * (d[2] - 6*d[1] + 8*d[0]) / 3
			near(t, r.Name+": Var[W] of class "+c.Name, c.Variances.WaitingTime, square-c.MeanWaitingTime*c.MeanWaitingTime, 1e-6)
		}
	}
}
