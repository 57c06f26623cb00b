package policy

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// Resize is dynamic equi-partitioning with a rule that says when running jobs are resized. The machine is divided into
// shares as even as whole units allow, at most Cap and at least Floor of them. Of n jobs the first min(n, Cap) in the
// system run, on a share each. Idle shares are given to those who wait without resizing anybody. Whether the machine is
// divided anew is what [Resize.Next] answers after an arrival, a departure, and at the end of a cooldown.
//
// The zero value divides at every arrival and departure, as [Dynamic] does; every field that is not zero makes it do so
// less often. With Cap alone it is [Capped]. Where Floor and Cap are the same and split the machine evenly, nobody is ever
// resized, as under [Static]. With Cooldown and SCV, the simulated machine of whole nodes runs the rule as [Smoothing] with that
// minimum time, but the exact chains differ (see there).
//
// References: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 7, for the minimum time between
// repartitions; F. V. Lu, R. F. Serfozo, M/M/1 queueing decision processes with monotone hysteretic optimal policies,
// Operations Research 32, 1984, 1116–1132, for thresholds that differ on the way up and down.
type Resize struct {
	named[Resize]

	// Cooldown is the minimum time between the starts of two divisions that resize running jobs, in the time unit of the
	// machine. It goes on while no job runs, but a job that finds the machine empty gets its share at once. SCV is the
	// squared coefficient of variation of the cooldown: 0 is a fixed time, as the timers of schedulers are; otherwise it is
	// drawn anew at each division from the phase-type distribution that [phasetype.TwoMoments] gives.
	Cooldown, SCV float64
	Cap           int     // the most jobs that run; 0: as many as there are units
	Floor         int     // the fewest shares, so that a job gets the Floor-th part of the machine at most; 0: 1
	Hysteresis    float64 // the factor by which the share of a job must change at least; 0: 1
	Batch         int     // the arrivals and departures since the last division that a division needs; 0: 1
	Wait          int     // the waiting jobs without which running jobs are not made smaller; 0: 1
	Departures    bool    // running jobs are not resized at arrivals; Batch counts departures alone
}

// Situation is what a rule looks at.
type Situation struct {
	Units            int  // N, of the machine
	Running, Waiting int  // jobs, before idle shares are given to those who wait
	Shares           int  // into which the machine is divided; 0 if it was empty
	Changes          int  // arrivals and departures since running jobs were resized last, or the machine was empty
	Quiet            bool // the cooldown lasts
	Arrival          bool // what has just happened is an arrival
}

// Shares returns the number of shares that a rule would divide the machine into if any division were due: as many as
// there are jobs, within Floor and Cap.
func (r Resize) Shares(jobs, units int) int { return sharesWithin(jobs, r.Floor, r.Cap, units) }

// sharesWithin returns what Shares returns with the given Floor, and with the Cap most. It is small enough to be put into
// Next, which a simulation calls at each event: a copy of the rule takes as long as the rest of a decision.
func sharesWithin(jobs, floor, most, units int) int {
	if most > 0 {
		units = min(most, units)
	}
	return min(max(jobs, floor, 1), units)
}

// Next returns the number of shares of the machine from now on, and whether the machine is divided anew. If it is, the number
// is that of [Resize.Shares], otherwise that of s. Of n jobs the first min(n, shares) run then.
//
// While jobs queue up every rule divides into Cap shares in the end, so that it is stable wherever [Capped] is.
func (r Resize) Next(s Situation) (shares int, divides bool) {
	jobs := s.Running + s.Waiting
	to := sharesWithin(jobs, r.Floor, r.Cap, s.Units)
	switch {
	case s.Running == 0: // nobody is resized
	case s.Quiet, s.Changes < r.Batch, r.Departures && s.Arrival,
		to > s.Shares && s.Waiting < r.Wait,
		r.Hysteresis > 1 && changeOf(jobs, to, s.Shares) < r.Hysteresis:
		return s.Shares, false
	}
	return to, true
}

// changeOf returns the factor by which shares would change, at least 1. Of a machine on which not all fit, it is the factor
// which they would need: a queue that grows is a reason to divide even if one division does not change much.
func changeOf(jobs, to, shares int) float64 {
	if to > shares {
		return float64(jobs) / float64(shares)
	}
	return float64(shares) / float64(to)
}

// CooldownTime returns the distribution of a cooldown that is drawn; a fixed one has none, and is Cooldown.
func (r Resize) CooldownTime() (phasetype.Dist, error) {
	d, err := phasetype.TwoMoments(r.Cooldown, r.SCV)
	if err != nil {
		return phasetype.Dist{}, &ParameterError{Policy: r.String(), Problem: err.Error()}
	}
	return d, nil
}

// name returns the name of the policy in the table.
func (Resize) name() string { return "resize" }

// Rule returns r.
func (r Resize) Rule() Resize { return r }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Resize) entry() Entry {
	return Entry{
		Name:      "resize",
		Parameter: "RULE",
		Optional:  true,
		Means:     "any of cooldown=TIME, scv=C, cap=JOBS, floor=SHARES, hysteresis=FACTOR, batch=CHANGES, wait=JOBS, on=departures",
		Example:   "resize:hysteresis=1.5,wait=2",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Malleable,
		Mixed:     true,
		Summary:   "divides the nodes evenly when a rule says so",
		New:       newResize,
	}
}

// String returns the rule as flags write it, "resize:cooldown=300,cap=8", without what makes no difference.
func (r Resize) String() string {
	var all []string
	for name, v := range r.Parameters() {
		all = append(all, fmt.Sprint(name, "=", v))
	}
	if r.Departures {
		all = append(all, onDepartures)
	}
	if all == nil {
		return r.Name()
	}
	return r.Name() + ":" + strings.Join(all, ",")
}

// Parameters returns the parameters with a number that make a difference, by name, in the order of String.
func (r Resize) Parameters() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, p := range resizeParameters {
			if v := r.Get(p.name); v != p.neutral && v != 0 && !yield(p.name, v) {
				return
			}
		}
	}
}

// Check holds that the parameters are such, and that the machine has as many units as shares.
func (r Resize) Check(m Machine) error {
	if err := r.check(); err != nil {
		return err
	}
	if n := m.Partitions(); max(1, r.Cap, r.Floor) > n {
		return &ParameterError{Policy: r.String(), Problem: fmt.Sprintf("cap and floor must be in 1..%d", n)}
	}
	return nil
}

// check returns an error if a parameter is out of range, or two of them do not fit each other, whatever the machine.
func (r Resize) check() error {
	for _, p := range resizeParameters {
		v := r.Get(p.name)
		if !(v >= 0) || math.IsInf(v, 1) || 0 < v && v < p.neutral {
			return &ParameterError{Policy: r.String(), Problem: fmt.Sprintf("%s=%v is not %s", p.name, v, p.means)}
		}
	}
	switch {
	case r.Cap > 0 && r.Floor > r.Cap:
		return &ParameterError{Policy: r.String(), Problem: "the floor is above the cap"}
	case r.SCV > 0 && r.Cooldown == 0:
		return &ParameterError{Policy: r.String(), Problem: "scv varies the cooldown, which is 0; set cooldown, or leave scv out"}
	case r.SCV > 0:
		_, err := r.CooldownTime()
		return err
	}
	return nil
}

// resizeParameter is a parameter with a number of a [Resize], by the name of its field. The value that makes no difference, besides
// 0, is also the least one; that of the cap is 1.
type resizeParameter struct {
	name           string
	neutral, least float64
	means          string
}

var resizeParameters = []resizeParameter{
	{"cooldown", 0, 0, "a time"},
	{"scv", 0, 0, "a squared coefficient of variation"},
	{"cap", 0, 1, "a number of jobs"},
	{"floor", 1, 1, "a number of shares"},
	{"hysteresis", 1, 1, "a factor of at least 1"},
	{"batch", 1, 1, "a number of arrivals and departures"},
	{"wait", 1, 1, "a number of jobs"},
}

// field returns the field of a parameter, a float64 or an int.
func (r *Resize) field(name string) reflect.Value {
	return reflect.ValueOf(r).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
}

// Get returns a parameter as [Resize.With] takes it; 0 if it makes no difference, or there is none of that name.
func (r Resize) Get(name string) float64 {
	switch v := r.field(name); {
	case name == "on" && r.Departures:
		return 1
	case v.CanInt():
		return float64(v.Int())
	case v.CanFloat():
		return v.Float()
	}
	return 0
}

const onDepartures = "on=departures"

// newResize reads "cooldown=300,cap=8,on=departures".
func newResize(parameter string) (Policy, error) {
	var r Resize
	if parameter == "" {
		return r, nil
	}
	var seen []string
	for setting := range strings.SplitSeq(parameter, ",") {
		name, text, _ := strings.Cut(setting, "=")
		problem := r.set(name, text)
		if slices.Contains(seen, name) {
			problem = name + " stands there twice"
		}
		if problem != "" {
			return nil, errors.New(problem)
		}
		seen = append(seen, name)
	}
	return r, r.check()
}

// With returns the rule with one parameter changed: "cooldown", "cap" and the others as flags write them, and "on" with 1 for
// departures alone. Values that make no difference, and 0, take the parameter away.
func (r Resize) With(name string, value float64) (Resize, error) {
	switch {
	case name == "on" && (value == 0 || value == 1):
		r.Departures = value == 1
	case value == 0 && slices.Contains(ResizeParameters(), name):
		r.field(name).SetZero()
	default:
		if problem := r.set(name, fmt.Sprint(value)); problem != "" {
			return r, &ParameterError{Policy: fmt.Sprint("resize:", name, "=", value), Problem: problem}
		}
	}
	return r, nil
}

// ResizeParameters returns the names of the parameters of [Resize], in the order in which they are written.
func ResizeParameters() []string {
	var names []string
	for _, p := range resizeParameters {
		names = append(names, p.name)
	}
	return append(names, "on")
}

// set sets one parameter and returns what is wrong with it. Values that make no difference are left out, so that rules
// that are the same are equal.
func (r *Resize) set(name, text string) (problem string) {
	if name+"="+text == onDepartures {
		r.Departures = true
		return ""
	}
	i := slices.IndexFunc(resizeParameters, func(p resizeParameter) bool { return p.name == name })
	if i < 0 {
		return fmt.Sprintf("%q is none of %s", strings.TrimSuffix(name+"="+text, "="), resizeMeans)
	}
	p, field := resizeParameters[i], r.field(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= p.least) || field.CanInt() && v != float64(int(v)) {
		return fmt.Sprintf("%q is not %s", text, p.means)
	}
	if v == p.neutral {
		v = 0
	}
	field.Set(reflect.ValueOf(v).Convert(field.Type()))
	return ""
}

const resizeMeans = "cooldown=TIME, scv=C, cap=JOBS, floor=SHARES, hysteresis=FACTOR, batch=CHANGES, wait=JOBS, " +
	onDepartures
