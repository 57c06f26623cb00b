package study

import (
	"context"
	"errors"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// Log is what a log says of its jobs.
type Log struct {
	Jobs    *joblog.List         // that were chosen, in the order of their submission, at the load of the study
	Offer   workload.Offer       // of these jobs
	Load    float64              // that they offer to the machine; NaN or infinite where all come at once
	Skipped map[string]int       // jobs that were left out, by reason
	Sizes   []logstats.SizeClass // the jobs by their numbers of nodes
	States  map[string]int       // the jobs by how they ended, in the log's own spelling
	// Accuracy says how good the estimates of the log are, and Resizing how jobs were resized while they ran.
	Accuracy logstats.Accuracy
	Resizing logstats.Resizing
	// Statistics say how jobs come and what the log says of the assumptions of chains; nil if the log has too few jobs.
	Statistics *logstats.Statistics
	// Logged says how the jobs waited as the log recorded it; nil if times are stretched, or if the log has no waits.
	Logged *logstats.Logged
	// Seen says of which nodes Logged tells whether they were free.
	Seen SeenNodes
}

// SeenNodes says of which nodes the chosen jobs of a log tell whether they were free. Jobs that are not chosen held nodes,
// too, and nobody counts them.
type SeenNodes int

// The nodes that chosen jobs tell of.
const (
	SeenAll        SeenNodes = iota // all jobs are chosen, whatever their times
	SeenPartitions                  // all jobs of some partitions are chosen: Logged.Waiting counts the nodes of these alone
	SeenNone                        // jobs are chosen by something else, such as a user: other jobs may hold any node
)

// seenBy returns which nodes the jobs of a range tell of. A range of times leaves out few jobs that run at the same time as its own.
func seenBy(r *joblog.Range) SeenNodes {
	if r.Sizes != (joblog.Sizes{}) || len(r.Statuses) > 0 {
		return SeenNone
	}
	seen := SeenAll
	for i := range r.Choices {
		if r.Choices[i].Label != joblog.Partition {
			return SeenNone
		}
		seen = SeenPartitions
	}
	return seen
}

// days returns the time from the first to the last submission at the load of the study, in days of 24 hours.
func (l *Log) days() float64 { return (l.Offer.Last - l.Offer.First) / 86400 }

// Describe returns the statistics of the offered jobs of a log: their load, how they come and end, how good their
// estimates are, and how they waited by the log. All jobs are in memory meanwhile, because several goroutines read them
// at the same time. Statistics is nil if there are fewer than 10 jobs, or if all come at once. Logged is nil if the
// times are stretched, or if the log has no waits.
//
// The error comes from reading the log, from ctx, or says that there is no log. It wraps [joblog.ErrTooMany] if there
// are more jobs than the choice of the log allows in memory.
func Describe(ctx context.Context, offered replay.Offered) (*Log, error) {
	if offered.Log() == nil {
		return nil, errors.New("study: there is no log")
	}
	jobs, err := offered.List()
	if err != nil {
		return nil, err
	}
	l := &Log{Jobs: jobs, Offer: offered.Log().Offer, Load: offered.Load(), Skipped: offered.Log().Skipped}
	nodes, capacity := offered.Log().Nodes, offered.Log().Capacity()
	if !offered.AsLogged() {
		if l.Offer, err = workload.OfferOfLog(jobs.All()); err != nil {
			return nil, err
		}
	}
	names := &offered.Log().Range.Names
	l.Seen = seenBy(&offered.Log().Range)
	err = parallel.Each(ctx, 5, 0, func(part int) (err error) {
		switch part {
		case 0: // takes longest
			if offered.AsLogged() {
				l.Logged, err = loggedOf(jobs, names, nodes, l.Seen, offered.Date())
			}
		case 1: // one after the other, because each takes memory for a number of each job
			l.Statistics, err = logstats.Of(ctx, jobs, logstats.Options{Nodes: capacity, Date: offered.Date()})
			l.Sizes = logstats.SizeClasses(jobs)
		case 2:
			l.Accuracy = logstats.AccuracyOf(jobs, nil)
		case 3:
			l.Resizing = logstats.ResizingOf(jobs)
		case 4:
			l.States = statesOf(jobs, names)
		}
		if errors.Is(err, logstats.ErrTooFew) || errors.Is(err, logstats.ErrNoWaits) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// loggedOf returns how jobs waited on a machine of so many nodes. Jobs of chosen partitions wait for the nodes of these partitions,
// which are at most those of the machine. The error comes from [logstats.LoggedOf].
func loggedOf(jobs *joblog.List, names *joblog.Names, nodes int, seen SeenNodes,
	date func(float64) time.Time) (*logstats.Logged, error) {
	l, err := logstats.LoggedOf(jobs.All(), names, nodes, date)
	if err != nil || seen != SeenPartitions {
		return l, err
	}
	own, err := logstats.NodesOf(jobs.All(), names)
	if err != nil || own >= nodes {
		return l, err
	}
	within, err := logstats.LoggedOf(jobs.All(), names, own, nil)
	if err != nil {
		return nil, err
	}
	l.Waiting = within.Waiting
	return l, nil
}

// statesOf counts jobs by how they ended, in the log's own spelling. It counts by the numbers of names, which takes less time than
// by the names.
func statesOf(jobs *joblog.List, names *joblog.Names) map[string]int {
	counts, byNumber := map[string]int{}, make([]int, len(names.States)+1)
	for j := range jobs.All() {
		if 0 < j.State && int(j.State) < len(byNumber) {
			byNumber[j.State]++
		} else {
			counts[names.State(j)]++
		}
	}
	for number, n := range byNumber {
		if n > 0 {
			counts[names.States[number-1]] += n
		}
	}
	return counts
}

// describe makes the step [Describing]: it sets w.Log, the statistics of the jobs at the load of the study. It also
// sets w.oneMachine and w.weeksOfOne to the whole log. Later steps narrow them to a partition and to the weeks of a
// sample. The error comes from [replay.Log.At] or [Describe].
func (w *work) describe(ctx context.Context) error {
	offered, err := w.log.At(0)
	if err != nil {
		return err
	}
	log, err := Describe(ctx, offered)
	if err != nil {
		return err
	}
	w.Log, w.oneMachine, w.weeksOfOne = *log, w.log, w.log
	return nil
}

// MeanRunTime returns the mean run time of the jobs, in seconds; NaN without jobs.
func (l *Log) MeanRunTime() float64 {
	sum, jobs := 0.0, 0
	for i := range l.Sizes {
		sum += l.Sizes[i].Mean * float64(l.Sizes[i].Jobs)
		jobs += l.Sizes[i].Jobs
	}
	return sum / float64(jobs)
}
