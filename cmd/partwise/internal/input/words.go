package input

import (
	"cmp"
	"errors"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Headline names a model, its machine and its load.
func Headline(file *modelfile.Model) string {
	return MachineHeadline(file) + ", load " + output.Load(file.System.Load())
}

// MachineHeadline names a model and its machine.
func MachineHeadline(file *modelfile.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %s%s", file.Title, words.Count(s.Nodes, "node"), partitions)
}

// Heading is what every result says about the model first.
func Heading(file *modelfile.Model) output.Object {
	s := file.System
	return output.Pairs("version", output.Version, "title", file.Title, "time_unit", file.TimeUnit.Name,
		"machine", MachineObject(s.Machine()), "arrival_rate", s.Arrivals.Rate(), "arrival_scv", s.Arrivals.SCV(),
		"capacity", s.Capacity(), "load", s.Load())
}

// MachineObject is what results say about the machine of a model.
func MachineObject(m policy.Machine) output.Object {
	return output.Pairs("nodes", m.Nodes, "min_nodes", m.Unit, "partitions", m.Partitions())
}

// Assumed returns what model files leave open, each value once, with a flag that sets another.
func Assumed(files ...*modelfile.Model) []output.Assumption {
	var r output.Result
	for _, file := range files {
		for _, a := range file.Assumed {
			r.Assume(output.Assumption{Name: a.Name, Value: a.Value, Flag: "--set " + a.Other.String()})
		}
	}
	return r.Assumed
}

// AssumedBeside returns what a model file leaves open. Where the command line gives --resize-cost, that flag takes the place of
// the overheads, and of who stops for them.
func AssumedBeside(inv *cli.Invocation, file *modelfile.Model) []output.Assumption {
	return slices.DeleteFunc(Assumed(file), func(a output.Assumption) bool {
		return inv.Given("resize-cost") && slices.Contains([]string{modelfile.Overhead, modelfile.Distribution, modelfile.Stops}, a.Name)
	})
}

// PolicyName are the columns of JSON and CSV that name a policy: one with a number of partitions by its name and that number,
// any other as flags write it.
type PolicyName struct {
	Policy     string `key:"policy" form:"id"`
	Partitions int    `key:"partitions" form:"id omitzero"`
}

// NameOf returns the name of a policy.
func NameOf(p policy.Policy) PolicyName {
	if n := partitions(p); n > 0 {
		return PolicyName{p.Name(), n}
	}
	return PolicyName{p.String(), 0}
}

// WrittenPolicy is a policy as JSON and CSV name it, and in tables as flags write it.
type WrittenPolicy struct {
	PolicyName
	Written string `head:"policy"`
}

// Written returns the columns of a policy.
func Written(p policy.Policy) WrittenPolicy { return WrittenPolicy{NameOf(p), p.String()} }

// PolicyObject names a policy as results do.
func PolicyObject(p policy.Policy) output.Object {
	n := NameOf(p)
	return output.Pairs("policy", n.Policy, "partitions", output.Positive(n.Partitions))
}

// PolicyNames returns the columns that name the policy of each row in JSON as [PolicyObject] does, and in CSV and tables as
// flags write it.
func PolicyNames(of func(i int) policy.Policy) []output.Column {
	return []output.Column{
		{Key: "policy", ID: true, OnlyJSON: true, Value: func(i int) any { return NameOf(of(i)).Policy }},
		{Key: "partitions", ID: true, OnlyJSON: true, Value: func(i int) any { return output.Positive(partitions(of(i))) }},
		{Key: "policy", OnlyCSV: true, Value: func(i int) any { return of(i).String() }},
	}
}

// partitions returns the number that results tell beside the name of a policy, 0 of most.
func partitions(p policy.Policy) int {
	switch p := p.(type) {
	case policy.Static:
		return p.Partitions
	case policy.Capped:
		return p.Jobs
	}
	return 0
}

// Warnings returns the warnings about a result as text.
func Warnings(timeUnit string, r *decide.Solved) []string {
	var all []string
	for _, w := range r.Warnings() {
		var unstable *models.UnstableError
		var thrashing *decide.ThrashingError
		switch {
		case errors.As(w, &unstable):
			all = append(all, fmt.Sprintf("unstable: traffic intensity %s; the largest stable arrival rate is %s per %s",
				output.Round(unstable.TrafficIntensity, 4), output.Round(unstable.MaxArrivalRate, 4), timeUnit))
		case errors.As(w, &thrashing):
			all = append(all, fmt.Sprintf("thrashing: %s of the time goes into repartitioning", output.Percent(thrashing.Share)))
		default:
			all = append(all, w.Error())
		}
	}
	return all
}

// Unstable returns an error if no result is stable. The error says below which load a policy would be stable.
func Unstable(file *modelfile.Model, results []decide.Solved) error {
	if slices.ContainsFunc(results, func(r decide.Solved) bool { return r.Measures.Stable }) {
		return nil
	}
	widest := slices.MaxFunc(results, func(a, b decide.Solved) int {
		return cmp.Compare(a.Measures.MaxArrivalRate, b.Measures.MaxArrivalRate)
	})
	most := widest.Measures.MaxArrivalRate
	return cli.Hint(cli.ExitUnstable, fmt.Sprintf("it would be stable below load %s", output.Round(most/file.System.Capacity(), 4)), fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
		"rate %s per %s", output.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
		output.Round(most, 4), file.TimeUnit.Name))
}
