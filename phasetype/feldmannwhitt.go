package phasetype

import (
	"fmt"
	"math"
)

// Range says how a hyperexponential approximates a survival function S, and over which times. Parameters that are 0 are
// chosen to minimise the largest relative error.
type Range struct {
	Phases  int     // k; 0: at most 20
	From    float64 // c_k; 0: a time at which S is between 0.999 and 0.3
	To      float64 // c_1; 0: the time at which S is 1e-6
	Spacing float64 // b, between 1 and (To/From)^(1/(k−1))
}

// Fidelity says how well a distribution approximates a survival function S between two times, by 300 points evenly
// spaced in the logarithm.
type Fidelity struct {
	From, To float64 // From is the time at which S is 0.999 if Range.From was 0
	Relative float64 // largest |P(X > x)/S(x) − 1|
	At       float64 // the x of it
	CDF      float64 // largest |P(X > x) − S(x)|
	Used     Range   // all parameters as they were chosen
}

// FeldmannWhitt returns a hyperexponential distribution with k phases that approximates the survival function S of a
// distribution on (0, ∞) with a heavy tail, between the times c_k = From and c_1 = To. Exponentials are fitted one
// after the other, the slowest first: each agrees at c_i and b·c_i with the difference between S and the exponentials
// before it,
//
//	S_i(x) = S(x) − Σ_{j<i} p_j·e^(−λ_j·x),  c_i/c_{i+1} = (To/From)^(1/(k−1)),
//	λ_i = log(S_i(c_i)/S_i(b·c_i))/((b − 1)·c_i),  p_i = S_i(c_i)·e^(λ_i·c_i),
//
// The last one agrees at c_k and has the remaining probability. Beyond To the tail is exponential. This works for
// completely monotone S, such as those of [Pareto] and of [Weibull] with a shape below 1, and often for others with a
// tail heavier than exponential. S must be computed as a tail, not as 1 − F(x), to have digits at To.
//
// It returns an *[Error] if a parameter is wrong, or if S is nil or not a survival function, and a *[NotMonotoneError]
// if a rate or probability would not be positive.
//
// Reference: A. Feldmann, W. Whitt, Fitting mixtures of exponentials to long-tail distributions to analyze network
// performance models, Performance Evaluation 31 (1998) 245–279.
func FeldmannWhitt(survival func(x float64) float64, r Range) (Dist, Fidelity, error) {
	if survival == nil {
		return Dist{}, Fidelity{}, bad("survival", -1, -1, "is missing")
	}
	if err := r.check(); err != nil {
		return Dist{}, Fidelity{}, err
	}
	scale, starts, err := r.sampled(survival)
	if err != nil {
		return Dist{}, Fidelity{}, err
	}
	var best exponentials
	var fidelity Fidelity
	var refused error
	for _, try := range scale.choices(r, starts) {
		e, err := try.peel(survival)
		if err != nil {
			if refused == nil || r.Phases != 0 {
				refused = err
			}
			continue
		}
		if f := scale.fidelity(e); best.p == nil || f.Relative < fidelity.Relative {
			best, fidelity = e, f
			fidelity.Used = try
		}
	}
	if best.p == nil {
		return Dist{}, Fidelity{}, refused
	}
	d, err := fromRates(best.p, make([]float64, len(best.p)*len(best.p)), best.rates)
	return d, fidelity, err
}

// choices returns the ranges to try, with all parameters set.
func (s sampled) choices(r Range, starts []float64) []Range {
	const spacings, most = 20, 20
	low, high := r.Phases, r.Phases
	if r.Phases == 0 {
		low, high = 2, most
	}
	var out []Range
	for _, from := range starts {
		for k := low; k <= high; k++ {
			try := Range{Phases: k, From: from, To: s.x[len(s.x)-1], Spacing: r.Spacing}
			gap := math.Log(try.To/from) / float64(k-1)
			if r.Spacing != 0 {
				if math.Log(r.Spacing) < gap {
					out = append(out, try)
				}
				continue
			}
			for i := 1; i < spacings; i++ {
				try.Spacing = math.Exp(gap * float64(i) / spacings)
				out = append(out, try)
			}
		}
	}
	return out
}

// NotMonotoneError says that a survival function cannot be approximated by a mixture of so many exponentials.
type NotMonotoneError struct {
	Phase, Phases int     // the exponential that failed, from 1, the slowest; and the number of exponentials
	At            float64 // the time c_i at which it should agree
}

func (e *NotMonotoneError) Error() string {
	return fmt.Sprintf("phasetype: survival: no positive probability is left at %g for exponential %d of %d; "+
		"use fewer phases, a later start or another family", e.At, e.Phase, e.Phases)
}

// check refuses wrong parameters.
func (r Range) check() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"from", r.From}, {"to", r.To}, {"spacing", r.Spacing}} {
		if f.value != 0 {
			if err := positive(f.name, -1, f.value); err != nil {
				return err
			}
		}
	}
	switch {
	case r.Phases != 0 && (r.Phases < 2 || r.Phases > MaxPhases):
		return bad("phases", -1, -1, "%d is not between 2 and %d", r.Phases, MaxPhases)
	case r.Spacing != 0 && r.Spacing <= 1:
		return bad("spacing", -1, -1, "%g is not above 1", r.Spacing)
	}
	return nil
}

// sampled is a survival function at the points where it is compared.
type sampled struct{ x, s []float64 }

// sampled evaluates the survival function over the range, and returns the times to try for the fastest exponential.
func (r Range) sampled(survival func(x float64) float64) (points sampled, starts []float64, err error) {
	const count = 300
	low, high := r.From, r.To
	if high == 0 {
		if high, err = crossing(survival, 1e-6); err != nil {
			return points, nil, err
		}
	}
	if low != 0 {
		starts = []float64{low}
	} else {
		for _, s := range []float64{0.999, 0.99, 0.97, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3} {
			c, err := crossing(survival, s)
			if err != nil {
				return points, nil, err
			}
			if c < high {
				starts = append(starts, c)
			}
		}
		if len(starts) > 0 {
			low = starts[0]
		}
	}
	if !(low > 0 && low < high) {
		return points, nil, bad("from", -1, -1, "%g is not before the end of the range, %g", low, high)
	}
	if r.Spacing != 0 && r.Phases != 0 && math.Log(r.Spacing) >= math.Log(high/low)/float64(r.Phases-1) {
		return points, nil, bad("spacing", -1, -1, "%g is not below the ratio of the points, %g", r.Spacing,
			math.Pow(high/low, 1/float64(r.Phases-1)))
	}
	last := 1.0
	for i := range count {
		x := low * math.Pow(high/low, float64(i)/(count-1))
		if i == count-1 {
			x = high
		}
		s, err := valid(survival, x)
		switch {
		case err != nil:
			return points, nil, err
		case s > last:
			return points, nil, bad("survival", -1, -1, "rises to %g at %g", s, x)
		case s == 0:
			return points, nil, bad("survival", -1, -1, "is 0 at %g, in the range", x)
		}
		points.x, points.s = append(points.x, x), append(points.s, s)
		last = s
	}
	return points, starts, nil
}

// crossing returns the time at which the survival function reaches s, to three digits.
func crossing(survival func(x float64) float64, s float64) (float64, error) {
	low, high := math.Log(1e-90), math.Log(1e90)
	for high-low > 1e-3 {
		middle := low + (high-low)/2
		v, err := valid(survival, math.Exp(middle))
		switch {
		case err != nil:
			return 0, err
		case v > s:
			low = middle
		default:
			high = middle
		}
	}
	return math.Exp(low), nil
}

// valid returns S(x), or an error if it is not a probability.
func valid(survival func(x float64) float64, x float64) (float64, error) {
	s := survival(x)
	if !(s >= 0 && s <= 1) {
		return 0, bad("survival", -1, -1, "is %v at %g, not a probability", s, x)
	}
	return s, nil
}

// exponentials is a mixture of exponentials.
type exponentials struct{ p, rates []float64 }

// survival returns Σ p_j·e^(−λ_j·x).
func (e exponentials) survival(x float64) (s float64) {
	for j, p := range e.p {
		s += p * math.Exp(-e.rates[j]*x)
	}
	return s
}

// peel fits the exponentials one after the other.
func (r Range) peel(survival func(x float64) float64) (exponentials, error) {
	const lost = 1e-12
	var e exponentials
	left := 1.0
	for i := range r.Phases {
		c := r.To * math.Pow(r.From/r.To, float64(i)/float64(r.Phases-1))
		s, err := valid(survival, c)
		if err != nil {
			return e, err
		}
		whole := s
		s -= e.survival(c)
		p, rate := left, -math.Log(s/left)/c
		if i < r.Phases-1 {
			later, err := valid(survival, r.Spacing*c)
			if err != nil {
				return e, err
			}
			rate = math.Log(s/(later-e.survival(r.Spacing*c))) / ((r.Spacing - 1) * c)
			p = s * math.Exp(rate*c)
			left -= p
		}
		// A difference has digits only if it is well above the rounding of its terms.
		if !(p > 0 && left > lost && s > lost*whole && rate > 0) || math.IsInf(rate, 1) {
			return e, &NotMonotoneError{Phase: i + 1, Phases: r.Phases, At: c}
		}
		e.p, e.rates = append(e.p, p), append(e.rates, rate)
	}
	return e, nil
}

// fidelity compares the exponentials with the survival function.
func (s sampled) fidelity(e exponentials) Fidelity {
	f := Fidelity{From: s.x[0], To: s.x[len(s.x)-1]}
	for i, x := range s.x {
		got := e.survival(x)
		if relative := math.Abs(got/s.s[i] - 1); relative > f.Relative {
			f.Relative, f.At = relative, x
		}
		f.CDF = math.Max(f.CDF, math.Abs(got-s.s[i]))
	}
	return f
}
