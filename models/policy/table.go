package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
)

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
			return &ParameterError{Policy: strconv.Quote(e.Name), Problem: "its entry of the table needs a name without a colon"}
		case known[e.Name] || known[e.Alias]:
			return &ParameterError{Policy: e.Name, Problem: "its entry of the table has the name of another policy"}
		case e.New == nil:
			return &ParameterError{Policy: e.Name, Problem: "its entry of the table has no function New"}
		case e.RunsOn == 0:
			return &ParameterError{Policy: e.Name, Problem: "its entry of the table does not say what it runs on"}
		case e.Mixed && e.Jobs != workload.Malleable:
			return &ParameterError{Policy: e.Name, Problem: "its entry of the table has Mixed, but its Jobs are not malleable"}
		}
		known[e.Name], known[e.Alias] = true, e.Alias != "" // several may have none
	}
	return nil
}

// On returns the entries that any of the given runners can run.
func (t Table) On(r Runner) Table {
	return slices.DeleteFunc(slices.Clone(t), func(e Entry) bool { return e.RunsOn&r == 0 })
}

// Named returns the entry with the given name or alias; ok is false if the table has no such entry.
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

// texts returns a text of each entry, in order.
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
		return nil, &ParameterError{Policy: text, Problem: name + " takes no parameter"}
	case parameter == "" && e.Parameter != "" && (given || !e.Optional):
		return nil, &ParameterError{Policy: text, Problem: fmt.Sprintf("write %s with %s", e.Syntax(), e.Means)}
	}
	p, err := e.New(parameter)
	switch {
	case err != nil:
		return nil, parameterError(text, err)
	case p == nil || p.Name() != e.Name:
		return nil, &ParameterError{Policy: text, Problem: "its entry of the table makes no policy with the name " + e.Name}
	case !reflect.ValueOf(p).Comparable():
		return nil, &ParameterError{Policy: text, Problem: fmt.Sprintf("values of %T cannot be compared; use a type without slices, "+
			"maps and functions", p)}
	}
	return p, nil
}

// Standard returns the table of the policies that this module has, in the order in which they are shown. Each entry stands beside
// its policy, as the method entry.
func Standard() Table {
	return Table{
		Dynamic{}.entry(),
		Static{}.entry(),
		Capped{}.entry(),
		Smoothing{}.entry(),
		Resize{}.entry(),
		Folding{}.entry(),
		Limited{}.entry(),
		FCFS{}.entry(),
		FirstFit{}.entry(),
		EASY{}.entry(),
		EASYMalleable{}.entry(),
		Conservative{}.entry(),
		Molding{Size: SEV}.entry(),
		Molding{Size: AVG}.entry(),
		Molding{Size: PWS}.entry(),
		Molding{Size: MAX}.entry(),
		Molding{Size: ThreeHalves}.entry(),
		Molding{Size: SimplifiedSEV}.entry(),
		Molding{Size: ASP}.entry(),
		Fraction{}.entry(),
		Epochs{Rule: Buddy}.entry(),
		Epochs{Rule: Hybrid}.entry(),
		Epochs{Rule: EquiEpoch}.entry(),
		Epochs{Rule: OptEpoch}.entry(),
		Epochs{Rule: HeuristicEpoch, Spread: 2}.entry(),
		Gang{}.entry(),
		Coscheduling{}.entry(),
		Coscheduling{Wait: SpinBlock}.entry(),
		Coscheduling{Wait: SpinYield}.entry(),
		Coscheduling{Arrival: InterruptBoost}.entry(),
		Coscheduling{Arrival: InterruptBoost, Wait: SpinBlock}.entry(),
		Coscheduling{Arrival: InterruptBoost, Wait: SpinYield}.entry(),
		Coscheduling{Arrival: PeriodicBoost}.entry(),
		Coscheduling{Arrival: PeriodicBoost, Wait: SpinBlock}.entry(),
		Coscheduling{Arrival: PeriodicBoost, Wait: SpinYield}.entry(),
	}
}

// SplitList splits a list of policies at its commas, and returns the text of each policy. A number or a setting after a comma
// belongs to the policy before it, as in hybrid:1,60 and resize:cooldown=60,cap=8.
func SplitList(text string) (policies []string) {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		_, err := strconv.ParseFloat(word, 64)
		setting := strings.Contains(word, "=") && !strings.Contains(word, ":")
		if (err == nil || setting) && len(policies) > 0 {
			policies[len(policies)-1] += "," + word
			continue
		}
		policies = append(policies, word)
	}
	return policies
}

// Meaning returns the syntax and the summary of a policy from its entry in the standard table. The name has a
// placeholder for each parameter with which p is written. known is false if p is nil or not in the table.
func Meaning(p Policy) (name, summary string, known bool) {
	if p == nil {
		return "", "", false
	}
	entry, known := Standard().Named(p.Name())
	name = entry.Name
	if _, written, ok := strings.Cut(p.String(), ":"); ok && !strings.Contains(entry.Parameter, "=") {
		name = entry.Syntax()
		if !strings.Contains(written, ",") {
			name, _, _ = strings.Cut(name, "[,")
		}
	}
	return name, entry.Summary, known
}
