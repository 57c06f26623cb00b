package policy

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
)

// Policy is a way to share a machine among jobs. Policies are comparable values, equal if they are the same: a policy of one's own
// has no slices, maps or functions among its fields.
type Policy interface {
	// Name returns the name in the table, such as "static".
	Name() string
	// String returns the policy as flags and files write it, such as "static:4".
	String() string
	// Check returns what is wrong with the policy on a machine, nil if nothing is.
	Check(m Machine) error
}

// named is embedded by a policy P whose name does not depend on its settings.
type named[P interface{ name() string }] struct{}

// Name returns the name of the policy in the table.
func (named[P]) Name() string {
	var p P
	return p.name()
}

// plain is embedded by a policy P without settings: its name says all, and any machine can run it.
type plain[P interface{ name() string }] struct{ named[P] }

// String returns the name of the policy.
func (p plain[P]) String() string { return p.Name() }

// Check returns nil.
func (plain[P]) Check(Machine) error { return nil }

// Machine is the size of a machine: its nodes, and the unit that partitions are multiples of.
type Machine struct{ Nodes, Unit int }

// Partitions returns N = Nodes/Unit, the largest number of partitions; 0 if one of the two is not positive.
func (m Machine) Partitions() int {
	if m.Nodes < 1 || m.Unit < 1 {
		return 0
	}
	return m.Nodes / m.Unit
}

// Divisors returns the numbers of equal partitions that the machine can be split into, ascending.
func (m Machine) Divisors() []int {
	n := m.Partitions()
	var ks []int
	for k := 1; k <= n; k++ {
		if n%k == 0 {
			ks = append(ks, k)
		}
	}
	return ks
}

// Runner is what can run a policy; several are joined by |.
type Runner uint8

// The runners.
const (
	Chain      Runner = 1 << iota // an exact Markov chain
	WholeNodes                    // the simulated machine, whose jobs hold whole nodes
	TimeShared                    // the simulated cluster, whose nodes have processes of several jobs each
)

// runners are the names of the runners.
var runners = []string{"chain", "machine", "cluster"}

// Names returns the names of the runners in r: "chain", "machine", "cluster".
func (r Runner) Names() (names []string) {
	for i, name := range runners {
		if r>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names, joined by commas.
func (r Runner) String() string { return strings.Join(r.Names(), ", ") }

// Entry is a line of the table of policies. Name, RunsOn and New are necessary. Parameter, Optional and Means are for a policy
// with a parameter, Jobs and Mixed for a policy that does not run rigid jobs. The other fields are documentation.
type Entry struct {
	Name      string        // what [Policy.Name] returns
	Alias     string        // another name that is read; empty if there is none
	Parameter string        // what stands behind the colon, "K" or "MEAN[,SCV]"; empty if nothing does
	Optional  bool          // the parameter may be left out
	Means     string        // what the parameter is, for messages: "a number of partitions"
	Example   string        // the policy as flags write it
	RunsOn    Runner        // what can run it: [WholeNodes] if it has a scheduler of its own
	Jobs      workload.Kind // of the jobs that it gets, rigid unless set: a policy that resizes needs [workload.Malleable]
	Mixed     bool          // it resizes malleable jobs within their bounds, and runs rigid jobs beside them
	Summary   string        // one line of documentation
	Source    string        // who described the policy; empty if nobody else did
	// New returns the policy of a parameter, "" where none is given. The table has checked that one is given where one is
	// needed, and none where there is none. An error comes out of [Table.Parse] as a *[ParameterError].
	New func(parameter string) (Policy, error)
}

// Syntax returns the name with its parameter: "static:K", "conservative[:WHEN]".
func (e *Entry) Syntax() string {
	switch {
	case e.Parameter == "":
		return e.Name
	case e.Optional:
		return e.Name + "[:" + e.Parameter + "]"
	}
	return e.Name + ":" + e.Parameter
}

// Table is a list of policies, in the order in which they are shown.
type Table []Entry

// With returns the table with another entry at its end. [Table.Check] says whether the entry fits.
func (t Table) With(e Entry) Table { return append(t[:len(t):len(t)], e) }

// Check returns a *[ParameterError] if an entry lacks what is necessary, or if two entries have a name in common. [Table.Parse] and
// [Table.Select] check their table, too.
func (t Table) Check() error {
	known := map[string]bool{BestStatic: true}
	for i := range t {
		e := &t[i]
		switch {
		case e.Name == "" || strings.Contains(e.Name, ":"):
			return &ParameterError{strconv.Quote(e.Name), "its entry of the table needs a name without a colon"}
		case known[e.Name] || known[e.Alias]:
			return &ParameterError{e.Name, "its entry of the table has the name of another policy"}
		case e.New == nil:
			return &ParameterError{e.Name, "its entry of the table has no function New"}
		case e.RunsOn == 0:
			return &ParameterError{e.Name, "its entry of the table does not say what it runs on"}
		case e.Mixed && e.Jobs != workload.Malleable:
			return &ParameterError{e.Name, "its entry of the table has Mixed, but its Jobs are not malleable"}
		}
		known[e.Name], known[e.Alias] = true, e.Alias != "" // several may have none
	}
	return nil
}

// On returns the entries that any of the given runners can run.
func (t Table) On(r Runner) Table {
	return slices.DeleteFunc(slices.Clone(t), func(e Entry) bool { return e.RunsOn&r == 0 })
}

// Named returns the entry with the given name or alias; ok is false if there is none.
func (t Table) Named(name string) (e Entry, ok bool) {
	for _, e := range t {
		if e.Name == name || e.Alias == name && name != "" {
			return e, true
		}
	}
	return Entry{}, false
}

// Names returns the names in order.
func (t Table) Names() []string { return t.texts(func(e *Entry) string { return e.Name }) }

// Syntax returns how all policies are written, in order.
func (t Table) Syntax() []string { return t.texts((*Entry).Syntax) }

func (t Table) texts(text func(*Entry) string) []string {
	all := make([]string, len(t))
	for i := range t {
		all[i] = text(&t[i])
	}
	return all
}

// Parse returns the policy that text names, such as "easy" or "static:4". The error is an *[UnknownError] or a
// *[ParameterError].
func (t Table) Parse(text string) (Policy, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	name, parameter, given := strings.Cut(text, ":")
	e, ok := t.Named(name)
	switch {
	case !ok:
		return nil, &UnknownError{Text: text, Known: t.Names()}
	case given && e.Parameter == "":
		return nil, &ParameterError{text, name + " takes no parameter"}
	case parameter == "" && e.Parameter != "" && (given || !e.Optional):
		return nil, &ParameterError{text, fmt.Sprintf("write %s with %s", e.Syntax(), e.Means)}
	}
	p, err := e.New(parameter)
	switch {
	case err != nil:
		return nil, parameterError(text, err)
	case p == nil || p.Name() != e.Name:
		return nil, &ParameterError{text, "its entry of the table makes no policy with the name " + e.Name}
	case !reflect.ValueOf(p).Comparable():
		return nil, &ParameterError{text, fmt.Sprintf("values of %T cannot be compared; use a type without slices, maps and functions", p)}
	}
	return p, nil
}

// parameterError returns an error of New or Check as a *ParameterError of the policy that the text names.
func parameterError(text string, err error) error {
	var own *ParameterError
	if errors.As(err, &own) {
		return err
	}
	return &ParameterError{text, err.Error()}
}

// UnknownError says that a table has no such policy.
type UnknownError struct {
	Text  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown policy %q; there are %s", e.Text, cmp.Or(strings.Join(e.Known, ", "), "none"))
}

// ParameterError says what is wrong with the parameter of a policy, or with its parameter on a machine.
type ParameterError struct{ Policy, Problem string }

func (e *ParameterError) Error() string { return fmt.Sprintf("policy %s: %s", e.Policy, e.Problem) }

// RunnerError says that a policy cannot be run in the way that was asked for, and why.
type RunnerError struct {
	Policy string
	RunsOn Runner // what can run it
	Reason string
}

func (e *RunnerError) Error() string { return e.Policy + " " + e.Reason }

// check returns a RunnerError if none of the runners can run the policy.
func (e *Entry) check(text string, on Runner) error {
	if e.RunsOn&on != 0 {
		return nil
	}
	reason := "has no exact chain"
	switch {
	case on == TimeShared:
		reason = "does not share the nodes of a cluster in time"
	case e.RunsOn == TimeShared:
		reason = "shares the nodes of a cluster in time, which is simulated by itself"
	case e.RunsOn&WholeNodes == 0:
		reason = "does not run on the simulated machine"
	}
	return &RunnerError{text, e.RunsOn, reason}
}
