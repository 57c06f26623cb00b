package logstats

import (
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
	// Pools are the partitions of the machine in the order of their names, each with the waits of its own jobs on its
	// own nodes. The list is empty if all jobs have the same partition.
	Pools []Pool
	// Starts says at which hours of the day these jobs started; nil if the log has no date, or is longer than 20 years.
	Starts *StartClock
}

// ErrNoWaits is the error of a log that does not tell how long its jobs waited: all waits are unknown, or all are 0.
var ErrNoWaits = errors.New("logstats: all waits of the log are 0 or unknown")

// Waited reports whether a log tells that a job started, how long the job waited and how long it ran.
func Waited(j *joblog.Job) bool { return j != nil && j.Wait >= 0 && j.Run >= 0 && j.Problem(0) == "" }

// stayOf returns the time of a job that [Waited] in the system.
func stayOf(j *joblog.Job) Stay {
	start := j.Submit + j.Wait
	return Stay{Submit: j.Submit, Eligible: j.Submit + min(max(j.Held, 0), j.Wait), Start: start, End: start + j.Run, Nodes: j.Nodes()}
}

// LoggedOf returns how the jobs of a log waited on a machine of so many nodes. names are those of the log; they tell its partitions and,
// if lists of nodes were kept, the nodes of each partition; nil: the log names nothing. date tells the date of a time in seconds, nil of a
// log without a date. The error is that of the jobs, or [ErrNoWaits].
func LoggedOf(jobs joblog.Jobs, names *joblog.Names, nodes int, date func(seconds float64) time.Time) (*Logged, error) {
	jobs, names = given(jobs, names)
	l := new(Logged)
	var starts *startClocks
	var stays []Stay
	pools := newPools(names)
	for j, err := range jobs {
		if err != nil {
			return nil, err
		}
		if !Waited(j) {
			continue
		}
		s := stayOf(j)
		stays = append(stays, s)
		l.MeanResponseTime += s.End - s.Submit
		if starts == nil && date != nil {
			starts = newStartClocks(date, j.Submit)
		}
		if starts != nil {
			starts.add(j)
		}
		if err := pools.add(j); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(stays, func(s Stay) bool { return s.wait() > 0 }) {
		return nil, ErrNoWaits
	}
	l.Jobs = len(stays)
	l.MeanResponseTime /= float64(l.Jobs)
	l.Waiting = WaitsOf(stays, nodes)
	if starts != nil {
		l.Starts = starts.summary()
	}
	if len(pools.byName) > 1 {
		l.Pools = pools.list()
	}
	return l, nil
}

// WithinPools returns the waits of all jobs, divided by what their own pools did meanwhile: the means over the jobs of all pools. Without
// pools it returns the waits on the whole machine.
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
