package workload

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"github.com/partwise/partwise/models/workload/joblog"
)

// lublin99 is the model of Lublin and Feitelson for jobs of one kind, batch and interactive together, made from the
// logs of three machines:
//
//   - A job is serial with probability 0.244. Otherwise the logarithm to base 2 of its size is uniform in two stages,
//     with m the logarithm of the nodes of the machine: between 0.8 and m − 2.5 with probability 0.86, otherwise
//     between m − 2.5 and m. With probability 0.576 the logarithm is rounded, so that the size is a power of two.
//   - The logarithm of a run time in seconds is hyper-gamma. It comes from one of two gamma distributions, the shorter
//     with a probability that falls linearly with the size. It is at most 12.
//   - The logarithm of an interarrival time is gamma at the rush of the day and stretched by the daily cycle. Half an
//     hour weighs as a gamma density over the hours that follow half past five in the morning. The logarithm is at most
//     13.
//
// Time 0 of the log is midnight.
//
// Reference: U. Lublin, D. G. Feitelson, The workload on parallel supercomputers: modeling the characteristics of rigid
// jobs, J. Parallel Distrib. Comput. 63 (2003) 1105–1122.
type lublin99 struct{}

// Parameters of the model.
const (
	lublinSerial     = 0.244
	lublinPowerOfTwo = 0.576
	lublinLow        = 0.8
	lublinBelow      = 2.5 // the middle, below the top
	lublinFirstStage = 0.86
	lublinLongestLog = 12
	lublinWidestLog  = 13
	halfHour         = 1800
	halfHours        = 48
	lublinMorning    = 11 // half past five, in half hours
)

// gammaDist is a gamma distribution with shape A and scale B.
type gammaDist struct{ A, B float64 }

func (g gammaDist) cdf(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return mathext.GammaIncReg(g.A, x/g.B)
}

func (g gammaDist) draw(u Uniform) float64 {
	return g.B * mathext.GammaIncRegInv(g.A, u.Float64())
}

// The distributions of the logarithms of run and interarrival times and of the weights of the half hours; and the line
// of the probability of the shorter run times.
var (
	lublinShortRuns = gammaDist{4.2, 0.94}
	lublinLongRuns  = gammaDist{312, 0.03}
	lublinShare     = [2]float64{0.78, -0.0054} // at no nodes, and for each
	lublinGaps      = gammaDist{10.2303 * 1.0225, 0.4871}
	lublinCycle     = gammaDist{8.1737, 3.9631}
)

// Jobs returns the jobs.
func (lublin99) Jobs(nodes int, u Uniform) (iter.Seq[joblog.Job], error) {
	if nodes < 2 {
		return nil, invalid("nodes", "must be at least 2, not %d: the model is of parallel machines", nodes)
	}
	l := &lublinJobs{nodes: nodes, u: u, high: math.Log2(float64(nodes))}
	l.middle = max(l.high-lublinBelow, (l.high+min(lublinLow, l.high))/2) // of small machines the stages are alike
	total := 0.0
	for i := lublinMorning; i < lublinMorning+halfHours; i++ {
		w := lublinCycle.cdf(float64(i)+0.5) - lublinCycle.cdf(float64(i)-0.5)
		l.weights[i%halfHours] = w
		total += w
	}
	floats.Scale(halfHours/total, l.weights[:])
	return l.jobs, nil
}

type lublinJobs struct {
	nodes        int
	u            Uniform
	middle, high float64            // logarithms of sizes
	weights      [halfHours]float64 // of the half hours of a day; their mean is 1
	now          float64
}

// jobs gives the jobs.
func (l *lublinJobs) jobs(yield func(joblog.Job) bool) {
	for id := 1; ; id++ {
		l.now += l.gap()
		n := l.size()
		if !yield(made(id, math.Floor(l.now), l.run(n), n)) {
			return
		}
	}
}

func (l *lublinJobs) size() int {
	kind := l.u.Float64()
	if kind <= lublinSerial {
		return 1
	}
	low, high := min(lublinLow, l.high), l.middle
	if l.u.Float64() > lublinFirstStage {
		low, high = l.middle, l.high
	}
	log := low + (high-low)*l.u.Float64()
	if kind <= lublinSerial+lublinPowerOfTwo {
		log = math.Round(log)
	}
	return min(int(math.Round(math.Exp2(log))), l.nodes)
}

func (l *lublinJobs) run(nodes int) float64 {
	short := min(1, max(0, lublinShare[0]+lublinShare[1]*float64(nodes)))
	for {
		g := lublinLongRuns
		if l.u.Float64() <= short {
			g = lublinShortRuns
		}
		if log := g.draw(l.u); log <= lublinLongestLog {
			return max(1, math.Floor(math.Exp(log)))
		}
	}
}

// gap returns the time to the next submission: so much of the weight of the half hours as the time at the rush says.
func (l *lublinJobs) gap() float64 {
	log := lublinGaps.draw(l.u)
	for log > lublinWidestLog {
		log = lublinGaps.draw(l.u)
	}
	left := math.Exp(log) // in weighted seconds
	at := l.now
	for {
		slot := math.Floor(at / halfHour)
		weight := l.weights[int(slot)%halfHours]
		end := (slot + 1) * halfHour
		if inSlot := (end - at) * weight; inSlot < left {
			left -= inSlot
			at = end
			continue
		}
		return at + left/weight - l.now
	}
}
