package batch

import (
	"math"
	"slices"
	"time"

	"github.com/partwise/partwise/validate/estimate"
)

// slowdownFloor is the run time, in seconds, below which slowdown is bounded.
const slowdownFloor = 10

// Slowdown returns the bounded slowdown of a job: response time over the run time on the nodes that it asked for, or
// over ten seconds if that is less, and at least one.
//
// Reference: D. G. Feitelson, L. Rudolph, U. Schwiegelshohn, K. C. Sevcik, P. Wong, Theory and practice in parallel job
// scheduling, Job Scheduling Strategies for Parallel Processing, LNCS 1291 (1997) 1–34.
func (r *Record) Slowdown() float64 { return max(1, r.Response()/max(r.alone(), slowdownFloor)) }

// alone returns how long the job would have run on the nodes that it asked for; how long it ran, if it asked for none.
func (r *Record) alone() float64 {
	if r.Nodes > 0 {
		return r.RunOn(r.Nodes)
	}
	return r.End - r.Start
}

// asked returns the work of the job on the nodes that it asked for, or had.
func (r *Record) asked() float64 {
	if r.Nodes > 0 {
		return r.alone() * float64(r.Nodes)
	}
	return r.NodeTime
}

// Measures are means over jobs. Times are in seconds, shares between 0 and 1.
type Measures struct {
	Jobs            int
	Response, Wait  float64
	Slowdown        float64 // bounded
	BackfilledShare float64
	KilledShare     float64
	// Utilization is the share of the nodes that were held: from the first submission to the last end, or in a month.
	Utilization float64
}

// Month are the measures of the jobs that were submitted in a month, and the load that they offered: work over what the
// machine could do between the first of the month, or of the log, and the last.
type Month struct {
	From time.Time // its first day
	Measures
	Load float64
}

// Interval is a mean with a confidence interval by batch means.
type Interval = estimate.Interval

// batchSize is the number of terminations in a batch, as in the paper that compares EASY with conservative backfilling.
const batchSize = 3333

// Metrics adds up records. Its memory is proportional to the number of months and of batches.
type Metrics struct {
	nodes int
	date  func(seconds float64) time.Time // nil: the log tells no dates

	total       sums
	first, last float64 // submission, end
	latest      float64 // submission
	held        float64 // node-seconds
	months      []monthSums
	batch       sums
	batches     [][3]float64 // means of response, wait, slowdown
	promises    int
	broken      int
}

// sums are sums over jobs.
type sums struct {
	n                         int
	response, wait, slowdown  float64
	backfilled, killed, asked float64
}

// monthSums are the sums of a month, which lasts from begin to end in the time of the log.
type monthSums struct {
	sums
	from       time.Time
	begin, end float64
	held       float64 // node-seconds
}

// NewMetrics returns empty metrics of a machine with the given number of nodes. date tells the date of a time of the
// log, where the machine stands; nil if the log does not know it.
func NewMetrics(nodes int, date func(seconds float64) time.Time) *Metrics {
	return &Metrics{nodes: nodes, date: date, first: math.Inf(1), last: math.Inf(-1), latest: math.Inf(-1)}
}

// Add adds a job that has ended.
func (m *Metrics) Add(r *Record) {
	m.total.add(r)
	m.first, m.last, m.latest = min(m.first, r.Submit), max(m.last, r.End), max(m.latest, r.Submit)
	m.held += r.NodeTime
	if !math.IsNaN(r.Promised) {
		m.promises++
		if r.Start > r.Promised {
			m.broken++
		}
	}
	m.batch.add(r)
	if n := float64(m.batch.n); n == batchSize {
		m.batches = append(m.batches, [3]float64{m.batch.response / n, m.batch.wait / n, m.batch.slowdown / n})
		m.batch = sums{}
	}
	if m.date != nil {
		m.month(r.Submit).add(r)
		m.hold(r)
	}
}

func (s *sums) add(r *Record) {
	s.n++
	s.response += r.Response()
	s.wait += r.Wait()
	s.slowdown += r.Slowdown()
	s.asked += r.asked()
	if r.Backfilled {
		s.backfilled++
	}
	if r.Killed {
		s.killed++
	}
}

// month returns the month of a time.
func (m *Metrics) month(at float64) *monthSums {
	for i := len(m.months) - 1; i >= 0; i-- {
		if b := &m.months[i]; b.begin <= at && at < b.end {
			return b
		}
	}
	t := m.date(at)
	from := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
	begin := at - t.Sub(from).Seconds()
	b := monthSums{from: from, begin: begin, end: begin + from.AddDate(0, 1, 0).Sub(from).Seconds()}
	i, _ := slices.BinarySearchFunc(m.months, at, func(b monthSums, at float64) int {
		if b.begin <= at {
			return -1
		}
		return 1
	})
	m.months = slices.Insert(m.months, i, b)
	return &m.months[i]
}

// hold spreads the nodes that a job held over the months in which it did.
func (m *Metrics) hold(r *Record) {
	for at := r.Start; at < r.End; {
		b := m.month(at)
		until := min(r.End, b.end)
		b.held += r.NodeTime * ((until - at) / (r.End - r.Start))
		at = until
	}
}

// Measures returns the means over all jobs; NaN where there are none.
func (m *Metrics) Measures() Measures {
	return m.total.measures(m.held, (m.last-m.first)*float64(m.nodes))
}

func (s *sums) measures(held, capacity float64) Measures {
	n := float64(s.n)
	return Measures{s.n, s.response / n, s.wait / n, s.slowdown / n, s.backfilled / n, s.killed / n, held / capacity}
}

// Merge makes m, the mean of n − 1 measures, the mean of n, the last of which is o.
func (m *Measures) Merge(o Measures, n int) {
	for _, x := range [...]struct {
		mean *float64
		last float64
	}{
		{&m.Response, o.Response}, {&m.Wait, o.Wait}, {&m.Slowdown, o.Slowdown}, {&m.BackfilledShare, o.BackfilledShare},
		{&m.KilledShare, o.KilledShare}, {&m.Utilization, o.Utilization},
	} {
		*x.mean += (x.last - *x.mean) / float64(n)
	}
}

// Months returns the measures by the month of submission, in order; nil if the log tells no dates.
func (m *Metrics) Months() []Month {
	var months []Month
	for i := range m.months {
		b := &m.months[i]
		if b.n == 0 {
			continue
		}
		begin, end := max(b.begin, m.first), b.end
		capacity := (min(end, m.last) - begin) * float64(m.nodes)
		span := (min(end, m.latest) - begin) * float64(m.nodes)
		months = append(months, Month{b.from, b.measures(b.held, capacity), b.asked / span})
	}
	return months
}

// Load returns the load that the jobs offered: work over what the machine could do from the first submission to the
// last.
func (m *Metrics) Load() float64 {
	return m.total.asked / ((m.latest - m.first) * float64(m.nodes))
}

// Intervals returns the confidence intervals of response, wait and slowdown from batches of 3333 terminations, the
// first of which is left out for the machine was empty then. They are infinite with fewer than two batches.
//
// Reference: Mu'alem and Feitelson, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 529–543, section 3.1.
func (m *Metrics) Intervals(confidence float64) (response, wait, slowdown Interval) {
	var x [3][]float64
	for _, b := range m.batches[min(1, len(m.batches)):] {
		for k := range x {
			x[k] = append(x[k], b[k])
		}
	}
	return estimate.Student(x[0], confidence), estimate.Student(x[1], confidence), estimate.Student(x[2], confidence)
}

// Promises returns how many jobs were promised a start, and how many started later.
func (m *Metrics) Promises() (made, broken int) { return m.promises, m.broken }
