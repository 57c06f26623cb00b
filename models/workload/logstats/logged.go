package logstats

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Logged is what a log says of its machine as it ran. Times are in seconds.
type Logged struct {
	Jobs             int     // that started, and whose waits the log tells
	MeanResponseTime float64 // from the submission of these jobs to their ends
	Waiting          Waits   // of these jobs, on the whole machine
	// Pools are the partitions of the machine in the order of their names. The list is empty if all jobs have the same partition.
	Pools []LoggedPool
	Use   Use // of the nodes of the machine, by these jobs
	// Starts says at which hours of the day these jobs started; nil if the log has no date, or is longer than 20 years.
	Starts *StartClock
}

// LoggedPool is a partition with the waits of its own jobs on its own nodes.
type LoggedPool struct {
	Pool
	Waiting Waits
}

// ErrNoWaits is the error of a log that does not tell how long its jobs waited: all waits are unknown, or all are 0.
var ErrNoWaits = errors.New("logstats: all waits of the log are 0 or unknown")

// LoggedOf returns how the jobs of a log waited on a machine of so many nodes. names are the names in the log: its partitions
// and, if lists of nodes were read, the nodes of each partition; nil if the log has no names. date returns the date of a time in
// seconds; it is nil for a log without a date. The error comes from reading the jobs, or is [ErrNoWaits].
//
// LoggedOf reads the jobs twice, and a third time if the log has several partitions and does not name their nodes. The work
// for each job is O(log nodes).
func LoggedOf(jobs joblog.Jobs, names *joblog.Names, nodes int, date func(seconds float64) time.Time) (*Logged, error) {
	jobs, names = given(jobs, names)
	var l *Logged
	err := inOrder(jobs, func(jobs joblog.Jobs) (err error) {
		l, err = loggedOf(jobs, names, nodes, date)
		return err
	})
	return l, err
}

// loggedOf is [LoggedOf] for jobs in the order of their submission.
func loggedOf(jobs joblog.Jobs, names *joblog.Names, nodes int, date func(seconds float64) time.Time) (*Logged, error) {
	m, err := namedMachineOf(jobs, names, Waited)
	if err != nil {
		return nil, err
	}
	whole, pools := newWaitCount(nodes), []*waitCount(nil)
	if len(m.parts) > 1 {
		if err := m.countPeaks(jobs); err != nil {
			return nil, err
		}
		pools = m.waitCounts()
	}
	use := useCount{nodes: nodes}
	pass := func(o occasion) {
		whole.pass(o)
		use.pass(o)
		if pools != nil {
			pools[o.pool].pass(o)
		}
	}
	sums := loggedSums{date: date, waits: newWaitsByPart(m), pools: make([]waitSums, len(m.parts))}
	var s occasions
	err = passBeside(pass, func(take func(occasion)) error {
		s.pass = take
		for j, err := range jobs {
			if err != nil {
				return err
			}
			if !Waited(j) {
				continue
			}
			at := m.partOf(j)
			sums.add(j, at)
			if err := s.add(j, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	use.setEdges(&sums.submitted)
	s.pass = pass
	s.finish()
	if !(sums.whole.longest > 0) {
		return nil, ErrNoWaits
	}
	l := &Logged{Jobs: sums.whole.jobs, MeanResponseTime: sums.responseTime / float64(sums.whole.jobs), Use: use.use(&sums.submitted)}
	for i, count := range pools {
		p := m.parts[i]
		l.Pools = append(l.Pools, LoggedPool{Pool{Name: p.name, Nodes: p.size()}, count.summary(&sums.pools[i], sums.waits.of(i))})
	}
	slices.SortFunc(l.Pools, func(a, b LoggedPool) int { return cmp.Compare(a.Name, b.Name) })
	l.Waiting = whole.summary(&sums.whole, sums.waits.all)
	if sums.starts != nil {
		l.Starts = sums.starts.summary()
	}
	return l, nil
}

// loggedSums are what jobs that [Waited] say of the machine one by one, without the nodes in use.
type loggedSums struct {
	submitted    submittedJobs
	whole        waitSums
	pools        []waitSums // by partition
	waits        waitsByPart
	responseTime float64 // the sum over the jobs, in seconds
	date         func(seconds float64) time.Time
	starts       *startClocks // nil without a date
}

// add takes in a job of the partition with the index at.
func (s *loggedSums) add(j *joblog.Job, at int32) {
	s.submitted.add(j)
	s.whole.add(j)
	s.pools[at].add(j)
	s.waits.add(at, j.Wait)
	s.responseTime += j.Wait + j.Run
	if s.starts == nil && s.date != nil {
		s.starts = newStartClocks(s.date, j.Submit)
	}
	if s.starts != nil {
		s.starts.add(j)
	}
}

// waitCounts returns an empty count of waits for each partition of the machine. The numbers of nodes of the partitions must be known.
func (m *machine) waitCounts() (counts []*waitCount) {
	for _, p := range m.parts {
		counts = append(counts, newWaitCount(p.size()))
	}
	return counts
}

// waitsByPart are the waits of all jobs in one list. Each partition has a section of the list.
type waitsByPart struct {
	all      values
	from, to []int // the places of the waits of each partition so far
}

// newWaitsByPart returns a list of waits with an empty section for each partition of the machine. A section has room for the jobs
// of its partition.
func newWaitsByPart(m *machine) waitsByPart {
	w := waitsByPart{all: newValues(m.whole.jobs)}
	from := 0
	for _, p := range m.parts {
		w.from, w.to = append(w.from, from), append(w.to, from)
		from += p.jobs
	}
	return w
}

// add appends a wait, in seconds, to the section of the partition with the index at.
func (w *waitsByPart) add(at int32, wait float64) {
	w.all.set(w.to[at], wait)
	w.to[at]++
}

// of returns the waits of the partition with the index at.
func (w *waitsByPart) of(at int) values { return w.all.between(w.from[at], w.to[at]) }

// WithinPools returns the waits of all jobs, divided by what their own pools did meanwhile: the means over the jobs of all pools.
// Without pools it returns the waits on the whole machine.
func (l *Logged) WithinPools() Waits {
	if len(l.Pools) == 0 {
		return l.Waiting
	}
	w := l.Waiting
	w.NoNodes, w.NearlyFull, w.NodesFree = 0, 0, 0
	for _, p := range l.Pools {
		share := float64(p.Waiting.Jobs) / float64(l.Jobs)
		w.NoNodes += share * p.Waiting.NoNodes
		w.NearlyFull += share * p.Waiting.NearlyFull
		w.NodesFree += share * p.Waiting.NodesFree
	}
	return w
}

// WaitsIn returns the waits of the jobs of a pool, by the name of the pool. If all jobs are in one pool, it returns their waits
// for any name. known is false if l is nil, or if the log has pools, but no pool of this name.
func (l *Logged) WaitsIn(pool string) (w Waits, known bool) {
	if l == nil {
		return w, false
	}
	for i := range l.Pools {
		if l.Pools[i].Name == pool {
			return l.Pools[i].Waiting, true
		}
	}
	return l.Waiting, len(l.Pools) == 0 // all jobs are in one pool
}
