package replay

import (
	"fmt"
	"math"
	"time"
	_ "time/tzdata" // months begin where the machine stands, whatever this computer knows of time zones

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// Offered holds the chosen jobs of a log as they are submitted to the simulated machine at a given load. It is never
// modified.
type Offered struct {
	log    *Log
	factor float64 // by which the logged times between submissions are multiplied
}

// At returns the chosen jobs as they are submitted at the given load: the times between submissions are stretched. With
// load 0 the jobs come at the log's own load. The error is a *[SettingError] if the load is negative, infinite or NaN.
// It is a *[workload.DataError] if the log has no load that could be changed. Another error says that l was not made by
// [Choose].
func (l *Log) At(load float64) (Offered, error) {
	if err := l.check(); err != nil {
		return Offered{}, err
	}
	if load == 0 {
		return Offered{l, l.stretch()}, nil
	}
	if !(load > 0) || math.IsInf(load, 1) {
		return Offered{}, &SettingError{"load", fmt.Sprintf("%v is not a positive number", load)}
	}
	logged := l.Offer.Load(l.Capacity())
	if !(logged > 0) || math.IsInf(logged, 1) {
		return Offered{}, &workload.DataError{File: l.Name,
			Problem: "has no load that could be changed: no work, or all jobs submitted at once"}
	}
	return Offered{l, logged / load}, nil
}

// Log returns the log from which the jobs were chosen, with the machine and the names of the log; nil for the zero
// value.
func (o Offered) Log() *Log { return o.log }

// AsLogged reports whether the jobs are submitted at the logged times: the times between submissions are not stretched.
// Only then waits of a replay can be compared with logged waits, and times have dates.
func (o Offered) AsLogged() bool { return o.factor == 1 }

// Jobs returns the jobs one by one, in the order of their submission, with stretched submissions. Each range over the
// result reads the log once. An error of reading comes last, in place of a job.
func (o Offered) Jobs() joblog.Jobs {
	if o.log == nil {
		return joblog.ListOf(nil).All()
	}
	jobs := o.log.all
	if len(o.log.Skipped) > 0 {
		jobs = o.log.Range.Choose(jobs, o.log.Nodes, func(string, float64) {})
	}
	if o.factor != 1 {
		jobs = joblog.Stretch(jobs, o.factor)
	}
	return jobs
}

// List returns the jobs in memory, in the order of their submission. If no job is left out or stretched, the result may
// be the list of the log itself, which must not be changed. Otherwise the result is a copy. The error comes from
// reading the log. It wraps [joblog.ErrTooMany] if there are more jobs than the field Most of the log.
func (o Offered) List() (*joblog.List, error) {
	if o.log == nil {
		return joblog.ListOf(nil), nil
	}
	if o.factor == 1 && len(o.log.Skipped) == 0 && o.log.kept != nil {
		return o.log.kept, nil
	}
	return joblog.Keep(o.Jobs(), o.log.Name, o.log.Most)
}

// Load returns the load that the jobs offer to the machine, or to all pools together. It is NaN or infinite if all jobs
// are submitted at once.
func (o Offered) Load() float64 {
	if o.log == nil {
		return math.NaN()
	}
	return o.log.Offer.Load(o.log.Capacity()) / o.factor
}

// Date returns a function that converts a time of the log, in seconds, to its local date. It returns nil if the log
// does not say when it begins, or if times are stretched.
func (o Offered) Date() func(float64) time.Time {
	if o.log == nil || !o.log.Header.Dated() || !o.AsLogged() {
		return nil
	}
	header := o.log.Header
	location, start := header.Location(), header.UnixStartTime
	return func(seconds float64) time.Time { return time.Unix(start+int64(math.Floor(seconds)), 0).In(location) }
}
