package days

import (
	"fmt"
	"math"
	"sort"

	"github.com/partwise/partwise/models/workload"
)

// FittedUniformLog is a uniform-log distribution fitted to values.
type FittedUniformLog struct {
	StagedUniformLog
	Values  int     // that were fitted
	Dropped int     // that are not positive and have no logarithm
	RMS     float64 // root mean square of the distances between the lines and the empirical distribution function
}

// FitUniformLog fits a distribution of one stage to the positive values by least squares between the line Beta0 +
// Beta1·ln t and the empirical distribution function, which is (i − 1/2)/n at the i-th smallest of n values.
func FitUniformLog(values []float64) (FittedUniformLog, error) {
	e, err := newEmpirical(values)
	if err != nil {
		return FittedUniformLog{}, err
	}
	b0, b1, rss := e.line(0, e.n())
	return e.fit([]float64{b0}, []float64{b1}, nil, rss)
}

// FitTwoStages fits a distribution of two stages likewise: two lines that meet at the value where the squares
// are least, of all values that leave at least a hundredth of the others on either side.
func FitTwoStages(values []float64) (FittedUniformLog, error) {
	e, err := newEmpirical(values)
	if err != nil {
		return FittedUniformLog{}, err
	}
	n := e.n()
	edge := max(2, n/100)
	best := broken{rss: math.Inf(1)}
	for k := edge; k < n-edge; k++ {
		if e.x[k] == e.x[k-1] {
			continue
		}
		if b, ok := e.broken(k); ok && b.rss < best.rss {
			best = b
		}
	}
	if math.IsInf(best.rss, 1) {
		return FittedUniformLog{}, fmt.Errorf("workload: %d values do not make two stages of a uniform-log distribution", n)
	}
	second := best.b1 + best.bend
	return e.fit([]float64{best.b0, best.b0 + (best.b1-second)*best.at}, []float64{best.b1, second}, []float64{best.at},
		best.rss)
}

// empirical is an empirical distribution function over logarithms, with sums over its beginnings for regressions.
type empirical struct {
	x       []float64 // logarithms, sorted
	shift   float64   // their mean, subtracted below so that squares keep their digits
	sums    []moments // of the first i points
	dropped int
}

// moments are sums over points (x, y): their number is that of the points.
type moments struct{ x, xx, y, xy, yy float64 }

func newEmpirical(values []float64) (*empirical, error) {
	e := &empirical{}
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			e.dropped++
			continue
		}
		e.x = append(e.x, math.Log(v))
	}
	n := e.n()
	sort.Float64s(e.x)
	if n < 2 || e.x[0] == e.x[n-1] {
		return nil, fmt.Errorf("workload: a uniform-log distribution needs two different positive values, not %d in all", n)
	}
	for _, x := range e.x {
		e.shift += x / float64(n)
	}
	e.sums = make([]moments, n+1)
	for i, x := range e.x {
		x -= e.shift
		y, s := e.y(i), e.sums[i]
		e.sums[i+1] = moments{s.x + x, s.xx + x*x, s.y + y, s.xy + x*y, s.yy + y*y}
	}
	return e, nil
}

func (e *empirical) n() int { return len(e.x) }

func (e *empirical) y(i int) float64 { return (float64(i) + 0.5) / float64(e.n()) }

func (e *empirical) between(from, to int) moments {
	a, b := e.sums[from], e.sums[to]
	return moments{b.x - a.x, b.xx - a.xx, b.y - a.y, b.xy - a.xy, b.yy - a.yy}
}

// line returns intercept and slope of the regression through points from ≤ i < to and the sum of squares left.
func (e *empirical) line(from, to int) (b0, b1, rss float64) {
	m, n := e.between(from, to), float64(to-from)
	sxx, sxy, syy := m.xx-m.x*m.x/n, m.xy-m.x*m.y/n, m.yy-m.y*m.y/n
	b1 = sxy / sxx
	return m.y/n - b1*(m.x/n+e.shift), b1, math.Max(0, syy-b1*sxy)
}

// broken is a line that changes its slope by bend at the logarithm at.
type broken struct{ at, b0, b1, bend, rss float64 }

// broken fits y = b0 + b1·x + bend·(x − x[k])⁺, by the normal equations of three unknowns.
func (e *empirical) broken(k int) (broken, bool) {
	n := float64(e.n())
	all, tail, c := e.between(0, e.n()), e.between(k, e.n()), e.x[k]-e.shift
	m := n - float64(k) // points in the tail
	h, hh := tail.x-c*m, tail.xx-2*c*tail.x+c*c*m
	xh, hy := tail.xx-c*tail.x, tail.xy-c*tail.y
	// Centred: columns x and h after their means are taken out.
	sxx, shh, sxh := all.xx-all.x*all.x/n, hh-h*h/n, xh-all.x*h/n
	sxy, shy, syy := all.xy-all.x*all.y/n, hy-h*all.y/n, all.yy-all.y*all.y/n
	det := sxx*shh - sxh*sxh
	if !(det > 1e-12*sxx*shh) {
		return broken{}, false
	}
	b := broken{at: e.x[k], b1: (sxy*shh - shy*sxh) / det, bend: (shy*sxx - sxy*sxh) / det}
	b.b0 = (all.y-b.b1*all.x-b.bend*h)/n - b.b1*e.shift
	b.rss = math.Max(0, syy-b.b1*sxy-b.bend*shy)
	meets := b.b0 + b.b1*b.at
	return b, b.b1 > 0 && b.b1+b.bend > 0 && meets > 0 && meets < 1
}

// fit makes the distribution of lines that meet at the logarithms of joints.
func (e *empirical) fit(b0, b1, joints []float64, rss float64) (FittedUniformLog, error) {
	last := len(b0) - 1
	ends := []float64{math.Exp(-b0[0] / b1[0])}
	weights := make([]float64, len(b0))
	before := 0.0
	for i, x := range joints {
		ends = append(ends, math.Exp(x))
		at := b0[i] + b1[i]*x
		weights[i], before = at-before, at
	}
	ends = append(ends, math.Exp((1-b0[last])/b1[last]))
	weights[last] = 1 - before
	u, err := NewUniformLogStages(ends, weights)
	return FittedUniformLog{u, e.n(), e.dropped, math.Sqrt(rss / float64(e.n()))}, err
}

// UniformLogStage is a piece of a [UniformLog] with its share of the probability and its line Beta0 + Beta1·ln t.
type UniformLogStage struct {
	Min, Max     float64
	Weight       float64
	Beta0, Beta1 float64
}

// Stages returns the stages in order.
func (u StagedUniformLog) Stages() []UniformLogStage {
	var all []UniformLogStage
	for i := 1; i < len(u.logs); i++ {
		s := UniformLogStage{Min: math.Exp(u.logs[i-1]), Max: math.Exp(u.logs[i]), Weight: u.cdf[i] - u.cdf[i-1]}
		s.Beta1 = s.Weight / (u.logs[i] - u.logs[i-1])
		s.Beta0 = u.cdf[i] - s.Beta1*u.logs[i]
		all = append(all, s)
	}
	return all
}

// CDF returns P(X ≤ t).
func (u StagedUniformLog) CDF(t float64) float64 {
	x, last := math.Log(t), len(u.logs)-1
	switch {
	case !(t > 0) || x < u.logs[0]:
		return 0
	case x >= u.logs[last]:
		return 1
	}
	i := sort.Search(last, func(i int) bool { return u.logs[i] > x })
	share := (x - u.logs[i-1]) / (u.logs[i] - u.logs[i-1])
	return u.cdf[i-1] + share*(u.cdf[i]-u.cdf[i-1])
}

// SCV returns the squared coefficient of variation.
func (u StagedUniformLog) SCV() float64 {
	mean := u.Moment(1)
	return u.Moment(2)/(mean*mean) - 1
}

// StagedUniformLog is a [UniformLog] of several stages: that of the CTC has two.
type StagedUniformLog struct {
	logs []float64 // logarithms of the ends of the stages, in order
	cdf  []float64 // there
}

// SCV returns the squared coefficient of variation.
func (u UniformLog) SCV() float64 { return u.Staged().SCV() }

// Staged returns the distribution as one of one stage.
func (u UniformLog) Staged() StagedUniformLog {
	return StagedUniformLog{[]float64{u.low, u.low + u.width}, []float64{0, 1}}
}

// NewUniformLogStages returns the distribution that has the share weights[i] of its probability between ends[i] and
// ends[i+1]. Ends are positive and must rise, weights are positive and are normalised.
func NewUniformLogStages(ends, weights []float64) (StagedUniformLog, error) {
	if len(ends) != len(weights)+1 {
		return StagedUniformLog{}, invalid("ends", "%d ends do not bound %d stages", len(ends), len(weights))
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	u := StagedUniformLog{make([]float64, len(ends)), make([]float64, len(ends))}
	sum := 0.0
	for i, t := range ends {
		if u.logs[i] = math.Log(t); i > 0 {
			if t < ends[i-1] || t == ends[i-1] && len(weights) > 1 {
				return StagedUniformLog{}, invalid("ends", "%v does not lie beyond %v", t, ends[i-1])
			}
			sum += weights[i-1]
			u.cdf[i] = sum / total
		}
	}
	u.cdf[len(weights)] = 1
	return u, nil
}

// Quantile returns the least t with P(X ≤ t) ≥ p, 0 ≤ p ≤ 1. It is monotone in p, and of a uniform p a sample.
func (u StagedUniformLog) Quantile(p float64) float64 {
	i := 1
	for i < len(u.cdf)-1 && p > u.cdf[i] {
		i++
	}
	share := (p - u.cdf[i-1]) / (u.cdf[i] - u.cdf[i-1])
	return math.Exp(u.logs[i-1] + share*(u.logs[i]-u.logs[i-1]))
}

// Moment returns the k-th moment, k ≥ 1: of a stage between min and max (maxᵏ − minᵏ) / (k·ln(max/min)).
func (u StagedUniformLog) Moment(k int) float64 {
	m, power := 0.0, float64(k)
	for i := 1; i < len(u.logs); i++ {
		low, width := u.logs[i-1], u.logs[i]-u.logs[i-1]
		mean := 1.0 // of (X/min)ᵏ within the stage
		if x := power * width; x > 0 {
			mean = math.Expm1(x) / x
		}
		m += (u.cdf[i] - u.cdf[i-1]) * math.Exp(power*low) * mean
	}
	return m
}

// Mean returns the mean.
func (u StagedUniformLog) Mean() float64 { return u.Moment(1) }

// invalid returns the error for a parameter that no distribution can have.
func invalid(parameter, format string, args ...any) error {
	return &workload.ParameterError{Parameter: parameter, Problem: fmt.Sprintf(format, args...)}
}
