package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/machine"
)

// Cost is what a resize costs: the same time for every resize, a table of times by nodes, or the overheads of a system.
// With the zero value a resize takes no time.
type Cost struct {
	Name    string  // in results, such as 60s, or the name of a file
	Seconds float64 // the same for every resize; not used where Table or System says it
	Table   machine.Resizes
	System  *models.System // whose repartition overheads are the cost
	Second  float64        // a second in the time unit of System; 0: 1
}

// freeCost returns the cost of a resize that takes no time. Its name in results is 0s.
func freeCost() Cost { return Cost{Name: "0s"} }

// Flat reports whether every resize takes the same time, c.Seconds, whatever the sizes: the cost is neither a table nor
// the cost of a system.
func (c *Cost) Flat() bool { return c.Table == nil && c.System == nil }

// On returns the costs of reconfigurations with which machine m is simulated; nil if resizes take no time. second is
// the length of a second in the unit of time of the machine: the times of c, which are in seconds, are multiplied by
// it. stops says which jobs stand still; if it is empty, the resized jobs do. It does not count for the cost of a
// system, which has its own stops and its own unit of time.
//
// The error is a *[SettingError] if c is nil, or the system of the cost has another machine. It is one as well if all
// jobs should stop although the cost is a table of single jobs. An error of [machine.NewResizes] says which time of the
// table is wrong.
func (c *Cost) On(m policy.Machine, second float64, stops models.Stops) (machine.Costs, error) {
	switch {
	case c == nil:
		return nil, &SettingError{"resize_cost", "is missing"}
	case c.System != nil:
		return c.overheads(m, second)
	case c.Table == nil && c.Seconds == 0:
		return nil, nil
	case stops == models.AllStop && c.Table != nil:
		return nil, &SettingError{"stops", fmt.Sprintf("%s says how long each resized job stands still, and not how long all do",
			c.Name)}
	case stops == models.AllStop:
		return machine.Standstill(c.Seconds * second), nil
	}
	table := c.Table
	if table == nil {
		table = machine.Resizes{{Nodes: 1, Shrink: c.Seconds, Expand: c.Seconds}}
	}
	scaled := make([]machine.ResizeTime, len(table))
	for i, x := range table {
		scaled[i] = machine.ResizeTime{Nodes: x.Nodes, Shrink: x.Shrink * second, Expand: x.Expand * second}
	}
	return machine.NewResizes(scaled...)
}

// overheads returns the costs of the repartitions of c.System for machine m. second and c.Second are the length of a
// second, in the units of time of the machine and of the system. Times are multiplied by second/c.Second, to convert
// them to the unit of the machine. The system says which jobs stand still.
//
// The overheads of a system depend on the number of running jobs, so they hold for its own machine only. The error is a
// *[SettingError] if m has other nodes or another unit, or says that a time cannot be represented.
func (c *Cost) overheads(m policy.Machine, second float64) (machine.Costs, error) {
	s := c.System
	if s.Nodes != m.Nodes || s.MinNodes != m.Unit {
		return nil, &SettingError{"resize_cost", fmt.Sprintf("the overheads of %s hold for %d nodes in units of %d; this "+
			"machine has %d nodes in units of %d", c.Name, s.Nodes, s.MinNodes, m.Nodes, m.Unit)}
	}
	by := second
	if c.Second > 0 {
		by /= c.Second
	}
	shrink, err := scaled(s.Shrink, by)
	if err != nil {
		return nil, err
	}
	expand, err := scaled(s.Expand, by)
	if err != nil {
		return nil, err
	}
	who := machine.AllJobs
	if s.Stops == models.ResizedStop {
		who = machine.ResizedJobs
	}
	return machine.NewOverheads(shrink, expand, who), nil
}

// scaled returns a copy of a list of distributions of times, each multiplied by the factor by. Distributions that are
// zero stay zero: the repartition takes no time. The error is that a product cannot be represented.
func scaled(list []phasetype.Dist, by float64) ([]phasetype.Dist, error) {
	out := make([]phasetype.Dist, len(list))
	for i, d := range list {
		out[i] = d
		if d.IsZero() || by == 1 {
			continue
		}
		var err error
		if out[i], err = d.Scale(by); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SettingError tells that a setting does not fit the other settings. Setting is its name in results, such as
// resize_cost.
type SettingError struct{ Setting, Problem string }

// Error returns a message that names the setting and the problem.
func (e *SettingError) Error() string { return "replay: " + e.Setting + ": " + e.Problem }

// check returns a *[SettingError] if every resize should take the same time, and this time is negative, infinite or
// NaN. Tables and systems are checked where they are made.
func (c *Cost) check() error {
	if c.Flat() && (!(c.Seconds >= 0) || math.IsInf(c.Seconds, 1)) {
		return &SettingError{"resize_cost", fmt.Sprintf("a resize cannot take %v s; use a time from 0 s", c.Seconds)}
	}
	return nil
}

// ParsePoints reads scheduling points, at which jobs can be resized. A whole number divides the work of a job into so many equal
// pieces. A time such as 60s or a decimal number of seconds is the time of progress between two points on any number of nodes. With
// ",together" behind either, resized jobs wait for each other. The error says that the text is neither, or that it is not positive.
// The points beside an error must not be used.
func ParsePoints(text string) (q machine.Points, err error) {
	text, q.Together = strings.CutSuffix(text, ",together")
	if n, ok := measure.ParseCount(text, math.MinInt); ok {
		if q.Number = n; n < 1 {
			err = fmt.Errorf("%q is not a positive number", text)
		}
		return q, err
	}
	every, err := measure.ParsePositiveTime(text, measure.Second())
	q.Every = []float64{every}
	return q, err
}

// ParseFlatCost reads a cost that is the same for every resize: a time such as 60s or 1m, or a bare number of seconds.
// The name of the cost is the text, with s behind a bare number. isTime is false if the text is no time; it may then be
// the name of a file with costs. The error says that the text is no time, or that the time is negative or too long to
// be simulated. The cost beside an error must not be used.
func ParseFlatCost(text string) (c Cost, isTime bool, err error) {
	c.Name = text
	if c.Seconds, err = measure.ParseTime(text, measure.Second()); err != nil {
		return c, false, err
	}
	if _, bare := strconv.ParseFloat(text, 64); bare == nil {
		c.Name += "s"
	}
	switch {
	case !(c.Seconds >= 0):
		err = fmt.Errorf("%q is negative", text)
	case c.Seconds > joblog.Longest:
		err = fmt.Errorf("%q is more than %g s, the longest time that is simulated", text, float64(joblog.Longest))
	}
	return c, true, err
}
