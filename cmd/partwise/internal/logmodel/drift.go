package logmodel

import (
	"context"
	"math"
	"sort"

	"github.com/partwise/partwise/cmd/partwise/internal/logstats"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// Slow is a level that the rates of all classes are multiplied by: the mean of four independent chains that change
// between 1 − 2·Deviation and 1 + 2·Deviation, both half of the time. Its mean is 1, its standard deviation Deviation,
// and its correlation over a time t exp(−t/Time). The zero value is 1 at all times.
type Slow struct{ Deviation, Time float64 }

const chains = 4

// lowest keeps a level positive, where the deviation is large.
const lowest = 0.05

// path is a level as it went: from at[i] on it is level[i].
type path struct{ at, level []float64 }

// path draws the level from one time to another.
func (s Slow) path(from, to float64, stream *des.Stream) path {
	var up [chains]bool
	count := 0
	for i := range up {
		if up[i] = stream.Float64() < 0.5; up[i] {
			count++
		}
	}
	p := path{at: []float64{from}}
	for t := from; ; {
		p.level = append(p.level, max(lowest, 1+s.Deviation*float64(2*count-chains)/math.Sqrt(chains)))
		if s.Deviation == 0 {
			return p
		}
		if t += stream.Exp() * 2 * s.Time / chains; t >= to { // each of the chains changes at the rate 1/(2 Time)
			return p
		}
		i := int(stream.Float64() * chains)
		up[i] = !up[i]
		if count--; up[i] {
			count += 2
		}
		p.at = append(p.at, t)
	}
}

// clock returns a function that turns the operational times of a class, in ascending order, into clock times: operational
// time runs by its cycle and by the level.
func (p path) clock(c *Cycle) func(u float64) float64 {
	sum := make([]float64, len(p.at))
	sum[0] = c.Operational(p.at[0])
	for i := 1; i < len(sum); i++ {
		sum[i] = sum[i-1] + p.level[i-1]*(c.Operational(p.at[i])-c.Operational(p.at[i-1]))
	}
	return func(u float64) float64 {
		i := max(sort.SearchFloat64s(sum, u)-1, 0)
		return c.Clock(c.Operational(p.at[i]) + (u-sum[i])/p.level[i])
	}
}

// draws is the number of logs that a log is compared with: that it exceeds all of 99 has a probability of 1 %.
const draws = 99

// fitSlow gives the model a level if the work of the log varies more from week to week than that of any of 99 logs drawn
// without one. Its deviation and time are such that the variance of the work in windows of one and of four weeks is, in
// the mean, that of the log.
//
// Reference for the test: J. Besag, P. J. Diggle, Simple Monte Carlo tests for spatial pattern, Applied Statistics 26
// (1977) 327–333.
func (m *Model) fitSlow(ctx context.Context, jobs []workload.Job, workers int) error {
	week := perWeek * m.hour
	seen := logstats.DispersionOf(jobs, week)
	if seen.Windows < 4 {
		return nil
	}
	var drawn [draws][2]float64
	exceeded := false
	for from := 0; from < draws && !exceeded; from += 9 { // most logs are done after the first
		err := parallel.Each(ctx, min(9, draws-from), workers, func(i int) error {
			like := m.Draw(des.Seed(slowSeed).At(uint64(from + i)))
			drawn[from+i][0] = logstats.DispersionOf(like, week).Variation
			drawn[from+i][1] = logstats.DispersionOf(like, 4*week).Variation
			return nil
		})
		if err != nil {
			return err
		}
		for i := from; i < min(from+9, draws); i++ {
			exceeded = exceeded || !(drawn[i][0] < seen.Variation)
		}
	}
	if exceeded {
		return nil
	}
	excess := [2]float64{seen.Variation, logstats.DispersionOf(jobs, 4*week).Variation}
	for i := range drawn {
		excess[0] -= drawn[i][0] / draws
		excess[1] -= drawn[i][1] / draws
	}
	m.Slow = levelOf(excess[0], excess[1], week)
	return nil
}

// slowSeed keys the logs that a log is compared with.
const slowSeed = 1977

// levelOf returns the level whose mean over a window has the given variances, in windows of one week and of four: the
// variance over x correlation times is that of the level times g(x) = 2·(x − 1 + e^{−x})/x². The time is at least a
// third of a week and, as that is as much as a log of a year tells, at most ten weeks.
func levelOf(one, four, week float64) Slow {
	g := func(x float64) float64 { return 2 * (x + math.Expm1(-x)) / (x * x) }
	x := 0.1 + 2.9/1000*float64(sort.Search(1000, func(i int) bool {
		x := 0.1 + 2.9*float64(i)/1000
		return g(4*x)/g(x) <= four/one
	}))
	return Slow{Deviation: math.Sqrt(one / g(x)), Time: week / x}
}
