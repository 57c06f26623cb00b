package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Log is a job log, the machine it is replayed on, and the choice of its jobs.
type Log struct {
	Name   string // in errors
	Header joblog.Header
	Kept   *joblog.List // all jobs of the log
	Stream joblog.Jobs  // all jobs of a log that is not kept, in place of Kept
	Most   int          // jobs of such a log that are kept to be sorted, if they must be; 0: any number
	Nodes  int          // of the machine
	Wanted joblog.Range // the jobs that are taken; the zero value takes all
	// Stretch multiplies the times between submissions; 0 leaves them as logged.
	Stretch float64
	// MostLost is the share of the node-seconds of the wanted jobs that jobs may hold which cannot be run again; 0: any. Of a
	// log that loses more, [Log.Offer] returns an error of the kind [ErrLost].
	MostLost float64

	// Skipped counts the jobs that were left out, by reason; Sorted says that the jobs of the log are not in the order of
	// their submission, and were sorted. Both are known once [Log.Offer] has returned.
	Skipped map[string]int
	Sorted  bool

	choosing sync.Mutex // studies may share a log
	offer    workload.Offer
}

// FromJobs returns the log of some jobs, replayed on a machine with the given nodes.
func FromJobs(jobs []joblog.Job, nodes int) *Log {
	return &Log{Name: "log", Nodes: nodes, Kept: joblog.ListOf(jobs)}
}

// All returns all jobs of the log, also those that are not taken.
func (l *Log) All() joblog.Jobs {
	switch {
	case l.Kept != nil:
		return l.Kept.All()
	case l.Stream != nil:
		return l.Stream
	}
	return joblog.ListOf(nil).All()
}

// stretch returns the factor of the times between submissions that the log has at any load.
func (l *Log) stretch() float64 { return cmp.Or(l.Stretch, 1) }

// Offer returns what the jobs offer as logged, before they are stretched. The first call chooses the jobs. It returns a
// *[workload.DataError] if the log has no job that can be run.
func (l *Log) Offer() (workload.Offer, error) {
	if err := l.check(); err != nil {
		return workload.Offer{}, err
	}
	l.choosing.Lock()
	defer l.choosing.Unlock()
	for l.offer.Jobs == 0 {
		lost := 0.0
		l.Skipped = map[string]int{}
		taken := l.Wanted.Choose(l.All(), l.Nodes, func(reason string, nodeTime float64) {
			l.Skipped[reason]++
			lost += nodeTime
		})
		offer, err := workload.OfferOfLog(taken)
		switch {
		case err != nil:
			return offer, err
		case offer.Unsorted:
			jobs, err := joblog.Keep(l.All(), l.Name, l.Most)
			if err != nil {
				return offer, err
			}
			l.Kept, l.Sorted = jobs.BySubmission(), true
			continue
		case offer.Jobs == 0:
			return offer, &workload.DataError{File: l.Name, Problem: "holds no jobs that can be run"}
		}
		if share := lost / (lost + offer.NodeTime); l.MostLost > 0 && share > l.MostLost {
			var reasons []string
			for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
				reasons = append(reasons, fmt.Sprintf("%d with %s", l.Skipped[reason], reason))
			}
			return offer, &workload.DataError{File: l.Name, Err: ErrLost, Problem: fmt.Sprintf(
				"%.3g %% of the node-seconds are lost with the jobs that cannot be run: %s", 100*share, strings.Join(reasons, ", "))}
		}
		l.offer = offer
	}
	return l.offer, nil
}

// ErrLost is the kind of the error that jobs which cannot be run again held too large a share of the node-seconds of a log.
var ErrLost = errors.New("too many node-seconds are lost")

// Jobs returns the jobs that are taken, in the order of their submission. The times between submissions are stretched such
// that the jobs offer the given load; 0 leaves them as the log has them.
func (l *Log) Jobs(load float64) (joblog.Jobs, error) {
	factor, err := l.factor(load)
	if err != nil {
		return nil, err
	}
	jobs := l.All()
	if len(l.Skipped) > 0 {
		jobs = l.Wanted.Choose(jobs, l.Nodes, func(string, float64) {})
	}
	if factor != 1 {
		jobs = joblog.Stretch(jobs, factor)
	}
	return jobs, nil
}

// List returns the jobs of [Log.Jobs] in memory.
func (l *Log) List(load float64) (*joblog.List, error) {
	jobs, err := l.Jobs(load)
	if err != nil {
		return nil, err
	}
	if factor, _ := l.factor(load); factor == 1 && len(l.Skipped) == 0 && l.Kept != nil {
		return l.Kept, nil
	}
	return joblog.Keep(jobs, l.Name, l.Most)
}

// factor returns what the times between submissions are multiplied by so that the jobs offer a load; 0: as the log has them.
func (l *Log) factor(load float64) (float64, error) {
	offer, err := l.Offer()
	switch {
	case err != nil:
		return 0, err
	case load == 0:
		return l.stretch(), nil
	case !(load > 0) || math.IsInf(load, 1):
		return 0, &SettingError{"load", fmt.Sprintf("%v is not a positive number", load)}
	}
	now := offer.Load(l.Nodes)
	if !(now > 0) || math.IsInf(now, 1) {
		return 0, &workload.DataError{File: l.Name, Problem: "has no load that could be changed: no work, or all jobs submitted at once"}
	}
	return now / load, nil
}

// First returns the first n of the jobs that are taken, or all jobs if there are fewer. Unless the load is 0, the times between
// their submissions are stretched such that these jobs offer it.
func (l *Log) First(n int, load float64) ([]joblog.Job, error) {
	all, err := l.Jobs(0)
	if err != nil {
		return nil, err
	}
	var jobs []joblog.Job
	for j, err := range all {
		if err != nil {
			return nil, err
		}
		if len(jobs) == n {
			break
		}
		jobs = append(jobs, *j)
	}
	if load == 0 {
		return jobs, nil
	}
	some := FromJobs(jobs, l.Nodes)
	if some.Name = l.Name; some.AtLoad(load) != nil {
		return nil, some.AtLoad(load)
	}
	return some.First(n, 0)
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
	factor, err := l.factor(load)
	if err == nil {
		l.Stretch = factor
	}
	return err
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
	if l != nil {
		l.choosing.Lock()
		defer l.choosing.Unlock()
	}
	switch {
	case l == nil || l.Kept == nil && l.Stream == nil:
		return fmt.Errorf("replay: there is no log")
	case l.Nodes < 1:
		return fmt.Errorf("replay: %s has a machine of %d nodes", l.Name, l.Nodes)
	case l.Stretch < 0 || math.IsNaN(l.Stretch) || math.IsInf(l.Stretch, 1):
		return fmt.Errorf("replay: %s is stretched by %v; use a positive factor", l.Name, l.Stretch)
	}
	return nil
}
