package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Choice says which jobs of a log are replayed, and how many nodes the machine has that runs them.
type Choice struct {
	Name   string // of the log, in errors
	Header joblog.Header
	Nodes  int          // of the machine
	Range  joblog.Range // the jobs that are taken; the zero value takes all
	// Stretch multiplies the times between submissions; 0 leaves them as logged.
	Stretch float64
	Most    int // jobs of a stream that are kept in memory if they must be sorted; 0: any number
	// MostLost is the share of the node-seconds of the wanted jobs that jobs may hold which cannot be run again; 0: any.
	MostLost float64
	// Lost is what reading the log lost before: it counts against MostLost with the jobs that cannot be run.
	Lost joblog.Lost
}

// Log is the jobs of a log that are chosen to be replayed on a machine, in the order of their submission. It is never modified:
// any number of studies may share it.
type Log struct {
	Choice
	Skipped map[string]int // jobs that were left out, by reason
	Sorted  bool           // the log was not in the order of submission
	Offer   workload.Offer // of the chosen jobs as logged, before they are stretched

	all  joblog.Jobs  // of the log in the order of submission, also those that are left out
	kept *joblog.List // the same in memory; nil of a stream
}

// ErrLost is the kind of the error that jobs which cannot be run again held too large a share of the node-seconds of a log.
var ErrLost = errors.New("too many node-seconds are lost")

// Choose returns the jobs of a stream that a choice takes. The stream is read once to choose, and once more whenever its jobs are
// replayed; it is kept in memory only if it must be sorted. The error is a *[workload.DataError] if no job can be run, and of the
// kind [ErrLost] if the jobs that cannot be run held more than c.MostLost.
func Choose(jobs joblog.Jobs, c Choice) (*Log, error) {
	if jobs == nil {
		return nil, errors.New("replay: there is no log")
	}
	return choose(&Log{Choice: c, all: jobs})
}

// ChooseList returns the jobs of a list that a choice takes, as [Choose] does. The list is not copied unless it must be sorted.
func ChooseList(jobs *joblog.List, c Choice) (*Log, error) {
	if jobs == nil {
		return nil, errors.New("replay: there is no log")
	}
	return choose(&Log{Choice: c, all: jobs.All(), kept: jobs})
}

// FromJobs returns all jobs that a machine with the given nodes can run.
func FromJobs(jobs []joblog.Job, nodes int) (*Log, error) {
	return ChooseList(joblog.ListOf(jobs), Choice{Name: "log", Nodes: nodes})
}

// choose completes a log by what its choice takes.
func choose(l *Log) (*Log, error) {
	switch {
	case l.Nodes < 1:
		return nil, &SettingError{"nodes", fmt.Sprintf("%s has a machine of %d nodes; use at least 1", l.Name, l.Nodes)}
	case l.Stretch < 0 || math.IsNaN(l.Stretch) || math.IsInf(l.Stretch, 1):
		return nil, fmt.Errorf("replay: %s is stretched by %v; use a positive factor", l.Name, l.Stretch)
	}
	lost, err := l.count()
	if err == nil && l.Offer.Unsorted {
		if err = l.sort(); err == nil {
			lost, err = l.count()
		}
	}
	switch {
	case err != nil:
		return nil, err
	case l.Offer.Jobs == 0:
		return nil, &workload.DataError{File: l.Name, Problem: "holds no jobs that can be run"}
	}
	return l, l.checkLost(lost)
}

// count goes through the log once and sets Skipped and Offer. It returns the node-seconds of wanted jobs that cannot be run.
func (l *Log) count() (lost float64, err error) {
	l.Skipped = map[string]int{}
	taken := l.Range.Choose(l.all, l.Nodes, func(reason string, nodeTime float64) {
		l.Skipped[reason]++
		lost += nodeTime
	})
	l.Offer, err = workload.OfferOfLog(taken)
	return lost, err
}

// sort keeps the jobs of the log in memory, in the order of their submission.
func (l *Log) sort() error {
	jobs := l.kept
	if jobs == nil {
		var err error
		if jobs, err = joblog.Keep(l.all, l.Name, l.Most); err != nil {
			return err
		}
	}
	l.kept, l.Sorted = jobs.BySubmission(), true
	l.all = l.kept.All()
	return nil
}

// checkLost returns an error if jobs that cannot be run held too many node-seconds.
func (l *Log) checkLost(lost float64) error {
	kept := (1 - l.Lost.Share) * l.Offer.NodeTime / (lost + l.Offer.NodeTime)
	share := 1 - kept
	if l.MostLost == 0 || !(share > l.MostLost) {
		return nil
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%d with %s", l.Skipped[reason], reason))
	}
	if l.Lost.Lines > 0 {
		reasons = append(reasons, fmt.Sprintf("%d with lines that cannot be read, or times that cannot be right (this is the first)", l.Lost.Lines))
	}
	return &workload.DataError{File: l.Name, Row: l.Lost.First, Err: ErrLost, Problem: fmt.Sprintf(
		"%.3g %% of the node-seconds are lost with the jobs that cannot be run: %s", 100*share, strings.Join(reasons, ", "))}
}

// check returns what is wrong with a log that [Choose] did not make.
func (l *Log) check() error {
	if l == nil || l.all == nil {
		return errors.New("replay: there is no log; make one with Choose")
	}
	return nil
}

// stretch returns the factor of the times between submissions that the log has at its own load.
func (l *Log) stretch() float64 { return cmp.Or(l.Stretch, 1) }

// Load returns the load that the jobs offer to the machine; NaN or infinite where all jobs come at once.
func (l *Log) Load() float64 { return l.Offer.Load(l.Nodes) / l.stretch() }

// AtLoad returns the log with the times between submissions stretched such that its jobs offer the given load.
func (l *Log) AtLoad(load float64) (*Log, error) {
	offered, err := l.At(load)
	if err != nil {
		return nil, err
	}
	stretched := *l
	stretched.Stretch = offered.factor
	return &stretched, nil
}

// First returns the log of the first n chosen jobs, or of all if there are fewer.
func (l *Log) First(n int) (*Log, error) {
	offered, err := l.At(0)
	if err != nil {
		return nil, err
	}
	first := new(joblog.List)
	for j, err := range offered.Jobs() {
		if err != nil {
			return nil, err
		}
		if first.Len() == n {
			break
		}
		first.Add(j)
	}
	return ChooseList(first, Choice{Name: l.Name, Header: l.Header, Nodes: l.Nodes})
}
