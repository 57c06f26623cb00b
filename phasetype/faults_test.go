package phasetype_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
)

// faulty is a distribution with some wrong functions.
type faulty struct {
	distribution
	survival, log, cdf, pdf, quantile, inverse func(float64) float64
	mean, variance, scv, skewness, atom        func() float64
	moment                                     func(int) float64
}

func or(f func(float64) float64, right func(float64) float64, x float64) float64 {
	if f != nil {
		return f(x)
	}
	return right(x)
}

func number(f, right func() float64) float64 {
	if f != nil {
		return f()
	}
	return right()
}

func (f faulty) Survival(x float64) float64    { return or(f.survival, f.distribution.Survival, x) }
func (f faulty) LogSurvival(x float64) float64 { return or(f.log, f.distribution.LogSurvival, x) }
func (f faulty) CDF(x float64) float64         { return or(f.cdf, f.distribution.CDF, x) }
func (f faulty) PDF(x float64) float64         { return or(f.pdf, f.distribution.PDF, x) }
func (f faulty) Quantile(p float64) float64    { return or(f.quantile, f.distribution.Quantile, p) }
func (f faulty) InverseSurvival(q float64) float64 {
	return or(f.inverse, f.distribution.InverseSurvival, q)
}
func (f faulty) Mean() float64     { return number(f.mean, f.distribution.Mean) }
func (f faulty) Variance() float64 { return number(f.variance, f.distribution.Variance) }
func (f faulty) SCV() float64      { return number(f.scv, f.distribution.SCV) }
func (f faulty) Skewness() float64 { return number(f.skewness, f.distribution.Skewness) }
func (f faulty) Atom() float64     { return number(f.atom, f.distribution.Atom) }
func (f faulty) Moment(k int) float64 {
	if f.moment != nil {
		return f.moment(k)
	}
	return f.distribution.Moment(k)
}

// TestFaultsAreFound plants mistakes one at a time; the check must name the law that they violate.
func TestFaultsAreFound(t *testing.T) {
	d := phasetype.Must(phasetype.FromRates([]float64{0.6, 0.2, 0},
		mat.NewDense(3, 3, []float64{0, 1, 0, 2, 0, 1, 0, 0, 0}),
		[]float64{0.1, 0, 5}))
	right := d.With(rand.NewPCG(1, 2))
	draw := right.Rand
	if err := checkLaws(right, draw); err != nil {
		t.Fatal(err)
	}
	if err := checkLaws(faulty{distribution: right}, draw); err != nil {
		t.Fatal(err)
	}
	times := func(f func(float64) float64, by float64) func(float64) float64 {
		return func(x float64) float64 { return by * f(x) }
	}
	constant := func(v float64) func(float64) float64 { return func(float64) float64 { return v } }
	is := func(v float64) func() float64 { return func() float64 { return v } }
	nan := math.NaN()
	for _, c := range []struct {
		name, law string
		fault     faulty
		draw      func() float64
	}{
		{name: "survival without the atom", law: "functions", fault: faulty{survival: times(right.Survival, 1/(1-d.Atom()))}},
		{name: "survival above one", law: "functions", fault: faulty{survival: times(right.Survival, 1.5)}},
		{name: "survival is NaN", law: "functions", fault: faulty{survival: constant(nan)}},
		{name: "tail lost in rounding", law: "functions", fault: faulty{survival: func(x float64) float64 {
			return 1 - right.CDF(x)
		}}},
		{name: "log of the rounded tail", law: "functions", fault: faulty{log: func(x float64) float64 {
			return math.Log(right.Survival(x)) + 1e-12*x
		}}},
		{name: "rising survival", law: "functions", fault: faulty{log: func(x float64) float64 {
			return right.LogSurvival(x) + 0.5*math.Sin(x)
		}}},
		{name: "cdf is NaN", law: "functions", fault: faulty{cdf: constant(nan)}},
		{name: "cdf without the atom", law: "functions", fault: faulty{cdf: func(x float64) float64 {
			return right.CDF(x) - d.Atom()
		}}},
		{name: "density of another scale", law: "functions", fault: faulty{pdf: times(right.PDF, 1.001)}},
		{name: "density with the atom", law: "functions", fault: faulty{pdf: func(x float64) float64 {
			return right.PDF(x) + d.Atom()
		}}},
		{name: "density is NaN", law: "functions", fault: faulty{pdf: constant(nan)}},
		{name: "rough quantile", law: "inverses", fault: faulty{quantile: func(p float64) float64 {
			return right.Quantile(p) * (1 + 1e-8)
		}}},
		{name: "quantile as if continuous", law: "inverses", fault: faulty{quantile: func(p float64) float64 {
			if p > 0 && p <= d.Atom() {
				return 1e-9
			}
			return right.Quantile(p)
		}}},
		{name: "quantile by 1 − p", law: "inverses", fault: faulty{inverse: func(q float64) float64 {
			if q < 1e-99 { // where the points end
				return right.InverseSurvival(q)
			}
			return right.Quantile(1 - q)
		}}},
		{name: "second moment", law: "moments", fault: faulty{moment: func(k int) float64 {
			if k == 2 {
				return d.Moment(k) * (1 + 1e-6)
			}
			return d.Moment(k)
		}}},
		{name: "third moment without k!", law: "moments", fault: faulty{moment: func(k int) float64 {
			if k == 3 {
				return d.Moment(k) / 6
			}
			return d.Moment(k)
		}}},
		{name: "moments are NaN", law: "moments", fault: faulty{moment: func(int) float64 { return nan }}},
		{name: "mean given that it is positive", law: "moments", fault: faulty{mean: is(d.Mean() / (1 - d.Atom()))}},
		{name: "variance is the second moment", law: "moments", fault: faulty{variance: is(d.Moment(2))}},
		{name: "scv is the coefficient of variation", law: "moments", fault: faulty{scv: is(math.Sqrt(d.SCV()))}},
		{name: "skewness without the root", law: "moments", fault: faulty{
			skewness: is(d.Skewness() * math.Sqrt(d.Variance())),
		}},
		{name: "forgotten atom", law: "functions", fault: faulty{atom: is(0)}},
		{name: "draws negative", law: "samples", draw: func() float64 { return -draw() - 1 }},
		{name: "draws NaN", law: "samples", draw: func() float64 { return nan }},
		{name: "draws rates for means", law: "samples", draw: func() float64 { return 1.2 * draw() }},
		{name: "draws no zeros", law: "samples", draw: func() float64 {
			for {
				if x := draw(); x > 0 {
					return x
				}
			}
		}},
		{name: "draws only the mean", law: "samples", draw: func() float64 { return d.Mean() }},
	} {
		c.fault.distribution = right
		if c.draw == nil {
			c.draw = draw
		}
		if err := checkLaws(c.fault, c.draw); err == nil || !strings.HasPrefix(err.Error(), ""+c.law+": ") {
			t.Errorf("%s: %v, want it found in %s", c.name, err, c.law)
		}
	}
}

// TestWrongOperationsAreFound passes results of other operations to the checks of operations.
func TestWrongOperationsAreFound(t *testing.T) {
	d := phasetype.Must(phasetype.New([]float64{0.3, 0.5}, mat.NewDense(2, 2, []float64{-1, 1, 0, -2})))
	slower := phasetype.Must(d.Scale(2))
	other := phasetype.Must(phasetype.TwoMoments(d.Mean(), d.SCV()))
	three := phasetype.Must(phasetype.Sum(d, d, phasetype.Must(phasetype.Exponential(1))))
	law := phasetype.NewLaw
	for name, err := range map[string]error{
		"scale by another factor":       checkScaled(law(d), law(slower), 3.7),
		"another shape":                 checkScaled(law(d), law(other), 1),
		"scaled for sum":                checkSum(law(d), law(slower)),
		"sum of others with one atom":   checkSum(law(d), law(three)),
		"another distribution the same": phtest.CheckSame(d, other, 1e-9),
	} {
		if err == nil {
			t.Errorf("%s is not found", name)
		}
	}
}

// wrong is an arrival process with one wrong function.
type wrong struct {
	process
	rate, scv, dispersion float64
	pi                    []float64
	lag                   func(int) float64
	joint                 func(...int) float64
}

func (w wrong) Rate() float64       { return pick(w.rate, w.process.Rate()) }
func (w wrong) SCV() float64        { return pick(w.scv, w.process.SCV()) }
func (w wrong) Dispersion() float64 { return pick(w.dispersion, w.process.Dispersion()) }

func pick(v, right float64) float64 {
	if v != 0 {
		return v
	}
	return right
}

func (w wrong) Stationary() []float64 {
	if w.pi != nil {
		return w.pi
	}
	return w.process.Stationary()
}

func (w wrong) LagCorrelation(k int) float64 {
	if w.lag != nil {
		return w.lag(k)
	}
	return w.process.LagCorrelation(k)
}

func (w wrong) JointMoment(powers ...int) float64 {
	if w.joint != nil {
		return w.joint(powers...)
	}
	return w.process.JointMoment(powers...)
}

func TestProcessFaultsAreFound(t *testing.T) {
	m, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{4, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkMAP(m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, law string
		fault     wrong
	}{
		{"rate of another process", "stationary", wrong{rate: 5}},
		{"phases after an arrival for those at any time", "stationary", wrong{pi: m.AfterArrival()}},
		{"negative probability", "stationary", wrong{pi: []float64{1.5, -0.5}}},
		{"scv of the rates", "joint moments", wrong{scv: m.SCV() * 1.001}},
		{"lags off by one", "joint moments", wrong{lag: func(k int) float64 { return m.LagCorrelation(k + 1) }}},
		{"correlation without division", "joint moments", wrong{lag: func(k int) float64 {
			return m.LagCorrelation(k) * m.SCV()
		}}},
		{"moments as if independent", "joint moments", wrong{joint: func(powers ...int) float64 {
			p := 1.0
			for _, k := range powers {
				p *= m.InterarrivalMoment(k)
			}
			return p
		}}},
		{"dispersion of one interval", "correlations", wrong{dispersion: m.SCV()}},
		{"negative lags", "correlations", wrong{lag: func(k int) float64 {
			if k < 0 {
				return 0
			}
			return m.LagCorrelation(k)
		}}},
	} {
		c.fault.process = m
		if err := checkProcess(c.fault); err == nil || !strings.HasPrefix(err.Error(), ""+c.law+": ") {
			t.Errorf("%s: %v, want it found in %s", c.name, err, c.law)
		}
	}
	if err := checkTwice(m, m); err == nil {
		t.Error("a process that is not twice as fast is not found")
	}
}
