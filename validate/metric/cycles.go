package metric

import "math"

// Cycles sums up independent cycles of a regenerative process, each a vector of sums over the cycle: their totals and
// the totals of their products, in constant memory.
type Cycles struct {
	n     int
	sum   []float64
	cross []float64 // upper triangle of Σ x·xᵀ, row by row
}

// NewCycles returns no cycles of vectors of the given width.
func NewCycles(width int) *Cycles {
	width = max(0, width)
	return &Cycles{sum: make([]float64, width), cross: make([]float64, width*(width+1)/2)}
}

// N returns the number of cycles.
func (c *Cycles) N() int { return c.n }

// Add counts a cycle.
func (c *Cycles) Add(x []float64) {
	c.n++
	k := 0
	for i, v := range x {
		c.sum[i] += v
		row := c.cross[k : k+len(x)-i]
		for j := range row {
			row[j] += v * x[i+j]
		}
		k += len(x) - i
	}
}

// Merge counts the cycles of o.
func (c *Cycles) Merge(o *Cycles) {
	c.n += o.n
	for i, v := range o.sum {
		c.sum[i] += v
	}
	for k, v := range o.cross {
		c.cross[k] += v
	}
}

// Sum returns the sums over all cycles.
func (c *Cycles) Sum() []float64 { return append([]float64(nil), c.sum...) }

// Estimate returns f of the expected sums of a cycle with a Student interval. f must not change when its argument is
// multiplied by a number, as ratios do not; it is smooth, so that its variance is that of its linear part,
//
//	gᵀ·C·g / n,   g the gradient at the mean of the n cycles, C their covariance.
//
// For a ratio this is the regenerative method. With fewer than two cycles the half width is infinite.
//
// References: M. A. Crane, D. L. Iglehart, Simulating stable stochastic systems, III: regenerative processes and
// discrete-event simulations, Oper. Res. 23 (1975) 33–45. P. W. Glynn, D. L. Iglehart, Simulation methods for queues:
// an overview, Queueing Systems 3 (1988) 221–256.
func (c *Cycles) Estimate(f func([]float64) float64, confidence float64) Interval {
	if c.n < 2 {
		inf := math.Inf(1)
		return Interval{Mean: f(c.sum), Low: -inf, High: inf, HalfWidth: inf, StdErr: inf}
	}
	n := float64(c.n)
	g := gradient(f, c.sum)
	var slope, variance float64
	k := 0
	for i := range c.sum {
		slope += g[i] * c.sum[i]
		for j := i; j < len(c.sum); j++ {
			twice := 2.0
			if i == j {
				twice = 1
			}
			variance += twice * g[i] * g[j] * c.cross[k]
			k++
		}
	}
	// Σ (g·x)² − (Σ g·x)²/n, where g is that at the sums: 1/n of that at the means.
	se := math.Sqrt(math.Max(0, variance-slope*slope/n) * n / (n - 1))
	i := Interval{Mean: f(c.sum), StdErr: se, DF: c.n - 1}
	if se > 0 {
		i.HalfWidth = Quantile(i.DF, 1-(1-confidence)/2) * se
	}
	i.Low, i.High = i.Mean-i.HalfWidth, i.Mean+i.HalfWidth
	return i
}

// gradient differentiates f at x by central differences. What is 0 does not vary.
func gradient(f func([]float64) float64, x []float64) []float64 {
	const step = 1e-5 // truncation 1e-10, rounding 1e-11 of f
	g := make([]float64, len(x))
	at := append([]float64(nil), x...)
	for i, v := range x {
		if v == 0 {
			continue
		}
		h := step * math.Abs(v)
		at[i] = v + h
		up := f(at)
		at[i] = v - h
		g[i] = (up - f(at)) / (2 * h)
		at[i] = v
	}
	return g
}
