package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Choice says which jobs of a log are replayed, and how many nodes the simulated machine has.
type Choice struct {
	Name   string        // of the log, in errors
	Header joblog.Header // what the log says of itself
	Nodes  int           // of the machine
	Unit   joblog.Unit   // what Nodes and the sizes of jobs count; "": nodes
	Range  joblog.Range  // the jobs that are taken; the zero value takes all
	// Stretch multiplies the times between submissions; 0 leaves them as logged.
	Stretch float64
	Most    int // largest number of jobs of a stream that are kept in memory, such as for sorting; 0: any number
	// MostLost is the largest share of the node-seconds of the wanted jobs that may be lost with jobs that cannot be
	// run again; 0: any share.
	MostLost float64
	// Lost is what was lost when the log was read. It counts against MostLost together with the jobs that cannot be
	// run.
	Lost joblog.Lost
	// Apart are the jobs whose times cannot be right: see [joblog.Log.Apart]. They are not replayed, except by
	// [Log.WithApart].
	Apart []joblog.Job
}

// Log holds the jobs of a log that are chosen to be replayed on a machine, in the order of their submission. It is
// never modified, so any number of studies may share it.
type Log struct {
	Choice
	Skipped map[string]int // jobs that were left out, by reason
	Sorted  bool           // the log was not in the order of submission
	Offer   workload.Offer // of the chosen jobs as logged, before they are stretched
	Pools   *Pools         // machines of their own, see [Log.InPools]; nil: the jobs share one machine

	all         joblog.Jobs  // all jobs of the log in the order of submission, also the jobs that are left out
	kept        *joblog.List // all jobs in memory; nil if the log is a stream
	leftOutTime float64      // node-seconds of the jobs that the choice wants, but that cannot be run
	hasHeldJobs bool         // some chosen job was held after its submission: replays offer it when it became eligible
}

// ErrLost says that jobs which cannot be run again held too large a share of the node-seconds of a log.
var ErrLost = errors.New("too many node-seconds are lost")

// ErrNoJobs says that no job of a log is chosen and can be run again.
var ErrNoJobs = errors.New("no jobs")

// Choose returns the log of the jobs of a stream that lie in c.Range and can run on a machine of c.Nodes nodes. Skipped
// has the numbers of the other jobs by reason. Choose reads the stream once; every replay reads the stream once more.
// Only if the jobs are not in the order of submission, the stream is read twice, and the sorted jobs are held in
// memory.
//
// The error is a *[workload.DataError] that wraps [ErrNoJobs] if no job can be run. It is a *[workload.DataError] that
// wraps [ErrLost] if a larger share of the node-seconds is lost than c.MostLost, unless MostLost is 0. It is a
// *[SettingError] if the machine has less than one node. It wraps [joblog.ErrTooMany] if more than c.Most jobs would
// have to be sorted. It may also come from reading the stream, or say that jobs is nil or c.Stretch is not valid. The
// log is nil beside an error.
func Choose(jobs joblog.Jobs, c Choice) (*Log, error) {
	if jobs == nil {
		return nil, errors.New("replay: there is no log")
	}
	return choose(&Log{Choice: c, all: jobs})
}

// ChooseList returns the log of the jobs of a list that a choice takes, as [Choose] does for a stream. The list is not
// copied unless it must be sorted, and must not be changed afterwards. The error comes from Choose; c.Most does not
// count.
func ChooseList(jobs *joblog.List, c Choice) (*Log, error) {
	if jobs == nil {
		return nil, errors.New("replay: there is no log")
	}
	return choose(&Log{Choice: c, all: jobs.All(), kept: jobs})
}

// FromJobs returns the log of all jobs that a machine with the given number of nodes can run, as logged. The jobs are
// copied. The error comes from [Choose], such as a *[SettingError] for less than one node; the log is nil then.
func FromJobs(jobs []joblog.Job, nodes int) (*Log, error) {
	return ChooseList(joblog.ListOf(jobs), Choice{Name: "log", Nodes: nodes})
}

// choose completes a log whose choice and jobs are set: it counts and, if necessary, sorts the jobs. It changes l and
// returns it. The error is a *[SettingError] if the machine has no nodes, or says that the factor of Stretch is not
// valid. It may also come from reading the log or from [Log.sortBySubmission], or be a *[workload.DataError] that wraps
// [ErrNoJobs] or [ErrLost]. The log is nil beside an error.
func choose(l *Log) (*Log, error) {
	switch {
	case l.Nodes < 1:
		return nil, &SettingError{"nodes", fmt.Sprintf("%s has a machine of %d nodes; use at least 1", l.Name, l.Nodes)}
	case l.Stretch < 0 || math.IsNaN(l.Stretch) || math.IsInf(l.Stretch, 1):
		return nil, fmt.Errorf("replay: %s is stretched by %v; use a positive factor", l.Name, l.Stretch)
	}
	err := l.countJobs()
	if err == nil && l.Offer.Unsorted {
		if err = l.sortBySubmission(); err == nil {
			err = l.countJobs()
		}
	}
	switch {
	case err != nil:
		return nil, err
	case l.Offer.Jobs == 0:
		return nil, &workload.DataError{File: l.Name, Problem: "holds no jobs that can be run" + l.leftOut(), Err: ErrNoJobs}
	}
	if err := l.checkLost(); err != nil {
		return nil, err
	}
	return l, nil
}

// leftOut says why jobs were left out, such as "; left out: 2 (no processors)". It returns "" if no job was left out.
func (l *Log) leftOut() string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%s (%s)", words.Whole(l.Skipped[reason]), reason))
	}
	if reasons == nil {
		return ""
	}
	return "; left out: " + strings.Join(reasons, ", ")
}

// countJobs reads the log once, and sets four fields: Skipped, the numbers of jobs left out by reason; Offer, what the
// chosen jobs offer to the machine; hasHeldJobs; and leftOutTime. The error comes from reading the log.
func (l *Log) countJobs() (err error) {
	l.Skipped, l.leftOutTime = map[string]int{}, 0
	taken := l.Range.Choose(l.all, l.Nodes, func(reason string, nodeTime float64) {
		l.Skipped[reason]++
		l.leftOutTime += nodeTime
	})
	l.hasHeldJobs = false
	l.Offer, err = workload.OfferOfLog(func(yield func(*joblog.Job, error) bool) {
		for j, err := range taken {
			l.hasHeldJobs = l.hasHeldJobs || err == nil && heldFor(j) > 0
			if !yield(j, err) {
				return
			}
		}
	})
	return err
}

// sortBySubmission keeps all jobs of the log in memory, in the order of their submission, also jobs that are left out.
// It sets Sorted and replaces the jobs of the log; Skipped and Offer stay as they are. The error comes from reading the
// log. It wraps [joblog.ErrTooMany] if a stream has more than l.Most jobs.
func (l *Log) sortBySubmission() error {
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

// LostShare returns the share of the node-seconds of the log that is lost. Jobs that the choice wants but that cannot be
// run are lost, and so is l.Lost: lines that cannot be read, and times that cannot be right. The share is
//
//	1 − (1 − l.Lost.Share)·kept/(left out + kept),   kept the node-seconds of the chosen jobs.
//
// Lines that do not tell their node-seconds count as average jobs. If nothing else is lost, it is the share of the jobs.
func (l *Log) LostShare() float64 {
	kept := 1 - l.Lost.Share
	if all := l.leftOutTime + l.Offer.NodeTime; all > 0 { // jobs may have run for no time
		kept *= l.Offer.NodeTime / all
	}
	return 1 - kept
}

// checkLost returns a *[workload.DataError] that wraps [ErrLost] if [Log.LostShare] exceeds l.MostLost; nil if MostLost
// is 0.
func (l *Log) checkLost() error {
	share := l.LostShare()
	if l.MostLost == 0 || !(share > l.MostLost) {
		return nil
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(l.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%s with %s", words.Whole(l.Skipped[reason]), reason))
	}
	if l.Lost.Lines > 0 {
		reasons = append(reasons, fmt.Sprintf("%s with lines that cannot be read, or times that cannot be right (this is the first)",
			words.Whole(l.Lost.Lines)))
	}
	what, note := "node-seconds are lost with the jobs that cannot be run", ""
	switch {
	case l.leftOutTime == 0 && l.Lost.Untold == l.Lost.Lines:
		what = "jobs cannot be run"
	case l.Lost.Untold > 0:
		note = fmt.Sprintf("; lines that do not tell their node-seconds (%s) count as average jobs", words.Whole(l.Lost.Untold))
	}
	return &workload.DataError{File: l.Name, Row: l.Lost.First, Err: ErrLost,
		Problem: fmt.Sprintf("%.3g %% of the %s: %s%s", 100*share, what, strings.Join(reasons, ", "), note)}
}

// check returns an error if the log is nil or the zero value: if it was not made by [Choose], [ChooseList] or
// [FromJobs].
func (l *Log) check() error {
	if l == nil || l.all == nil {
		return errors.New("replay: there is no log; make one with Choose")
	}
	return nil
}

// stretch returns the factor by which the times between submissions are multiplied if no other load is asked for; 1 as
// logged.
func (l *Log) stretch() float64 { return cmp.Or(l.Stretch, 1) }

// Load returns the load that the jobs offer to the machine: node-seconds of work over the capacity of all nodes from
// the first to the last submission, after stretching. It is NaN or infinite if all jobs are submitted at once. l must
// have been made by [Choose].
func (l *Log) Load() float64 { return l.Offer.Load(l.Capacity()) / l.stretch() }

// Capacity returns the number of nodes that jobs can use: the nodes of the machine, or the sum over all pools. A node
// that stands in several pools counts several times.
func (l *Log) Capacity() int {
	if l == nil {
		return 0
	}
	if l.Pools != nil {
		return l.Pools.Nodes()
	}
	return l.Nodes
}

// AtLoad returns a log of the same jobs whose times between submissions are stretched such that the jobs offer the
// given load. With load 0 it is the load of l. l is not changed. The error comes from [Log.At]; the log is nil then.
func (l *Log) AtLoad(load float64) (*Log, error) {
	offered, err := l.At(load)
	if err != nil {
		return nil, err
	}
	stretched := *l
	stretched.Stretch = offered.factor
	return &stretched, nil
}

// First returns a log of the first n chosen jobs, or of all chosen jobs if there are fewer or n is negative. The jobs
// are copied to memory. The new log has the names, the header, the nodes and their unit, and the stretched times of l.
// It lacks the other fields of the choice, and the pools. l is not changed.
//
// The error comes from reading the log, or from [ChooseList], such as for n = 0. It may also say that l was not made by
// [Choose]. The log is nil beside an error.
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
	return ChooseList(first, Choice{Name: l.Name, Header: l.Header, Nodes: l.Nodes, Unit: l.Unit,
		Range: joblog.Range{Names: l.Range.Names}})
}

// MedianSize returns the median number of nodes for which the chosen jobs ask. For an even number of jobs, it is the
// smaller of the two numbers in the middle. The error comes from reading the jobs, or is [ErrNoJobs].
func (l *Log) MedianSize() (nodes int, err error) {
	offered, err := l.At(0)
	if err != nil {
		return 0, err
	}
	var sizes []int
	for j, err := range offered.Jobs() {
		if err != nil {
			return 0, err
		}
		sizes = append(sizes, j.Nodes())
	}
	if len(sizes) == 0 {
		return 0, ErrNoJobs
	}
	slices.Sort(sizes)
	return sizes[(len(sizes)-1)/2], nil
}

// Stretched returns a copy of jobs such that they offer the given load to a machine of so many nodes: all times between
// submissions are multiplied by one factor. With load 0 the times stay. The result is in the order of submission,
// without the jobs that the machine cannot run.
//
// The error is a *[SettingError] if the load is negative, infinite or NaN, or if there is less than one node. It is a
// *[workload.DataError] if no job can be run. It is one as well if the jobs have no load that could be changed, as when
// all are submitted at once.
func Stretched(jobs []joblog.Job, nodes int, load float64) ([]joblog.Job, error) {
	log, err := FromJobs(jobs, nodes)
	if err != nil {
		return nil, err
	}
	offered, err := log.At(load)
	if err != nil {
		return nil, err
	}
	list, err := offered.List()
	if err != nil {
		return nil, err
	}
	return list.Jobs(), nil
}
