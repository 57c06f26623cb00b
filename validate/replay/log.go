package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Log is a job log, the machine it is replayed on, and the choice of its jobs. It can be read any number of times.
type Log struct {
	Name   string // in errors
	Header joblog.Header
	Nodes  int          // of the machine
	Wanted joblog.Range // the jobs that are taken; the zero value takes all
	// Stretch multiplies the times between submissions; 0 leaves them as logged.
	Stretch float64
	// Open returns all jobs of the log from the beginning, and what closes it.
	Open func() (joblog.Source, func() error, error)
	// Most bounds the jobs of a log that is kept in memory, because they are not in the order of their submission; 0: any
	// number.
	Most int

	// MostLost is the share of the node-seconds of the wanted jobs that jobs may hold which cannot be run again; 0: any. Of a
	// log that loses more, [Log.Offer] returns an error of the kind [ErrLost].
	MostLost float64

	// Skipped counts the jobs that were left out, by reason; Sorted says that the jobs of the log are not in the order of
	// their submission, and were sorted. Both are known once [Log.Offer] has returned.
	Skipped map[string]int
	Sorted  bool

	offer workload.Offer
}

// FromJobs returns the log of some jobs, replayed on a machine with the given nodes.
func FromJobs(jobs []joblog.Job, nodes int) *Log {
	return &Log{Name: "log", Nodes: nodes, Open: Listed(joblog.ListOf(jobs))}
}

// Listed returns the function that opens a log whose jobs are in memory.
func Listed(jobs *joblog.List) func() (joblog.Source, func() error, error) {
	return func() (joblog.Source, func() error, error) { return jobs.Jobs(), func() error { return nil }, nil }
}

// stretch returns the factor of the times between submissions that the log has at any load.
func (l *Log) stretch() float64 {
	if l.Stretch == 0 {
		return 1
	}
	return l.Stretch
}

// Offer returns what the jobs offer as logged, before they are stretched. The first call reads the log. It returns a
// *[workload.DataError] if the log has no job that can be run.
func (l *Log) Offer() (workload.Offer, error) {
	if err := l.check(); err != nil {
		return workload.Offer{}, err
	}
	if l.offer.Jobs > 0 {
		return l.offer, nil
	}
	in, closeLog, err := l.Open()
	if err != nil {
		return workload.Offer{}, err
	}
	defer closeLog()
	jobs := l.wanted(in)
	inOrder := &ordered{in: jobs}
	offer, err := workload.OfferOfLog(inOrder)
	if err != nil {
		return offer, err
	}
	if inOrder.broken && !l.Sorted {
		if err := l.sort(); err != nil {
			return offer, err
		}
		return l.Offer()
	}
	l.Skipped = jobs.Skipped
	if offer.Jobs == 0 {
		return offer, &workload.DataError{File: l.Name, Problem: "holds no jobs that can be run"}
	}
	if share := jobs.Lost / (jobs.Lost + offer.NodeTime); l.MostLost > 0 && share > l.MostLost {
		var reasons []string
		for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
			reasons = append(reasons, fmt.Sprintf("%d with %s", l.Skipped[reason], reason))
		}
		return offer, &workload.DataError{File: l.Name, Err: ErrLost, Problem: fmt.Sprintf(
			"%.3g %% of the node-seconds are lost with the jobs that cannot be run: %s", 100*share, strings.Join(reasons, ", "))}
	}
	l.offer = offer
	return offer, nil
}

// ErrLost is the kind of the error that jobs which cannot be run again held too large a share of the node-seconds of a log.
var ErrLost = errors.New("too many node-seconds are lost")

// wanted returns the jobs of a source that are taken.
func (l *Log) wanted(in joblog.Source) *joblog.Filter {
	return &joblog.Filter{In: in, Nodes: l.Nodes, Range: l.Wanted}
}

// ordered reports whether jobs come in the order of their submission.
type ordered struct {
	in     joblog.Source
	last   float64
	broken bool
}

// Next returns the next job.
func (o *ordered) Next(j *joblog.Job) error {
	err := o.in.Next(j)
	if err == nil {
		o.broken = o.broken || j.Submit < o.last
		o.last = j.Submit
	}
	return err
}

// sort reads the whole log, and gives its jobs in the order of their submission from then on.
func (l *Log) sort() error {
	in, closeLog, err := l.Open()
	if err != nil {
		return err
	}
	defer closeLog()
	jobs, err := joblog.Keep(context.Background(), in, l.Most)
	if err != nil {
		return err
	}
	l.Open, l.Sorted = Listed(jobs.BySubmission()), true
	return nil
}

// Jobs returns the jobs that are taken from the beginning, in the order of their submission, and what closes the log. The
// times between submissions are stretched such that the jobs offer the given load; 0 leaves them as the log has them.
func (l *Log) Jobs(load float64) (joblog.Source, func() error, error) {
	offer, err := l.Offer()
	if err != nil {
		return nil, nil, err
	}
	stretch := l.stretch()
	if load > 0 {
		now := offer.Load(l.Nodes)
		if !(now > 0) || math.IsInf(now, 1) {
			return nil, nil, &workload.DataError{File: l.Name,
				Problem: "has no load that could be changed: no work, or all jobs submitted at once"}
		}
		stretch = now / load
	}
	jobs, closeLog, err := l.Open()
	if err != nil {
		return nil, nil, err
	}
	if len(l.Skipped) > 0 {
		jobs = l.wanted(jobs)
	}
	if stretch != 1 {
		jobs = &joblog.Stretch{In: jobs, Factor: stretch}
	}
	return jobs, closeLog, nil
}

// First returns the first n of the jobs that are taken, or all jobs if there are fewer. Unless the load is 0, the times between
// their submissions are stretched such that these jobs offer it.
func (l *Log) First(n int, load float64) ([]joblog.Job, error) {
	offer, err := l.Offer()
	if err != nil {
		return nil, err
	}
	in, closeLog, err := l.Jobs(0)
	if err != nil {
		return nil, err
	}
	defer closeLog()
	jobs := make([]joblog.Job, min(n, offer.Jobs))
	for i := range jobs {
		if err := in.Next(&jobs[i]); err != nil {
			return nil, err
		}
	}
	if load == 0 {
		return jobs, nil
	}
	some := FromJobs(jobs, l.Nodes)
	some.Name = l.Name
	at, _, err := some.Jobs(load)
	if err != nil {
		return nil, err
	}
	return joblog.All(at)
}

// Load returns the load that the jobs offer; NaN or infinite where all jobs come at once.
func (l *Log) Load() (float64, error) {
	offer, err := l.Offer()
	if err != nil {
		return math.NaN(), err
	}
	return offer.Load(l.Nodes) / l.stretch(), nil
}

// AtLoad stretches the log itself such that its jobs offer the given load.
func (l *Log) AtLoad(load float64) error {
	now, err := l.Load()
	if err != nil {
		return err
	}
	if !(now > 0) || math.IsInf(now, 1) {
		return &workload.DataError{File: l.Name, Problem: "has no load that could be changed: no work, or all jobs submitted at once"}
	}
	l.Stretch = l.stretch() * now / load
	return nil
}

// Date returns the function that tells the date of a time of the log at a load; nil if the log does not say when it
// begins, or if times are stretched.
func (l *Log) Date(load float64) func(float64) time.Time {
	if !l.Header.Dated() || l.stretch() != 1 || load > 0 {
		return nil
	}
	location, start := l.Header.Location(), l.Header.UnixStartTime
	return func(seconds float64) time.Time { return time.Unix(start+int64(math.Floor(seconds)), 0).In(location) }
}

// check returns what is wrong with the log.
func (l *Log) check() error {
	switch {
	case l == nil || l.Open == nil:
		return fmt.Errorf("replay: there is no log")
	case l.Nodes < 1:
		return fmt.Errorf("replay: %s has a machine of %d nodes", l.Name, l.Nodes)
	case l.Stretch < 0 || math.IsNaN(l.Stretch) || math.IsInf(l.Stretch, 1):
		return fmt.Errorf("replay: %s is stretched by %v; use a positive factor", l.Name, l.Stretch)
	}
	return nil
}
