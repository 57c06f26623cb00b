package phasetype

import "math"

// Pareto is the distribution with the power tail
//
//	P(X > x) = (1 + x/Scale)^(−Shape),
//
// also called Lomax distribution: unlike Pareto's own form it begins at 0 and is completely monotone. The k-th moment
// is finite if Shape > k.
type Pareto struct{ Shape, Scale float64 }

// Survival returns P(X > x).
func (p Pareto) Survival(x float64) float64 {
	return math.Exp(-p.Shape * math.Log1p(math.Max(x, 0)/p.Scale))
}

// Mean returns Scale/(Shape − 1), +Inf for Shape ≤ 1.
func (p Pareto) Mean() float64 {
	if p.Shape <= 1 {
		return math.Inf(1)
	}
	return p.Scale / (p.Shape - 1)
}

// Weibull is the distribution with the tail
//
//	P(X > x) = exp(−(x/Scale)^Shape),
//
// heavier than exponential and completely monotone for Shape < 1.
type Weibull struct{ Shape, Scale float64 }

// Survival returns P(X > x).
func (w Weibull) Survival(x float64) float64 {
	return math.Exp(-math.Pow(math.Max(x, 0)/w.Scale, w.Shape))
}

// Mean returns Scale·Γ(1 + 1/Shape).
func (w Weibull) Mean() float64 { return w.Scale * math.Gamma(1+1/w.Shape) }

// lognormal is the distribution of exp(Mu + Sigma·Z), Z standard normal. It is not completely monotone, because its
// density is 0 at 0. A hyperexponential can approximate it from about its median on, the better the larger Sigma is.
type lognormal struct{ Mu, Sigma float64 }

// Survival returns P(X > x).
func (l lognormal) Survival(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return math.Erfc((math.Log(x)-l.Mu)/(l.Sigma*math.Sqrt2)) / 2
}

// Mean returns exp(Mu + Sigma²/2).
func (l lognormal) Mean() float64 { return math.Exp(l.Mu + l.Sigma*l.Sigma/2) }
