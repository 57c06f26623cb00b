package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Headline names a model and its load.
func Headline(file *modelfile.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %s%s, load %s", file.Title, output.Count(s.Nodes, "node"), partitions, output.Load(s.Load()))
}

// Heading is what every result says about the model first.
func Heading(file *modelfile.Model) output.Object {
	s := file.System
	o := output.Object{{Name: "version", Value: output.Version}}
	o.Add("title", file.Title)
	o.Add("time_unit", file.TimeUnit.Name)
	o.Add("machine", output.Object{
		{Name: "nodes", Value: s.Nodes},
		{Name: "min_nodes", Value: s.MinNodes},
		{Name: "partitions", Value: s.Partitions()},
	})
	o.Add("arrival_rate", s.Arrivals.Rate())
	o.Add("arrival_scv", s.Arrivals.SCV())
	o.Add("capacity", s.Capacity())
	o.Add("load", s.Load())
	return o
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

// PolicyObject names a policy as results do: one with a number of partitions by its name and that number, any other as
// flags write it.
func PolicyObject(p policy.Policy) output.Object {
	if n := partitions(p); n > 0 {
		return output.Object{{Name: "policy", Value: p.Name()}, {Name: "partitions", Value: n}}
	}
	return output.Object{{Name: "policy", Value: p.String()}}
}

// PolicyColumns returns the columns of JSON and CSV that name the policy of each row, as [PolicyObject] does.
func PolicyColumns(of func(i int) policy.Policy) []output.Column {
	return []output.Column{
		{Key: "policy", ID: true, Value: func(i int) any { return PolicyCells(of(i))[0] }},
		{Key: "partitions", ID: true, Value: func(i int) any { n := partitions(of(i)); return output.When(n > 0, n) }},
	}
}

// PolicyNames returns the columns that name the policy of each row in JSON as [PolicyObject] does, and in CSV and tables as
// flags write it.
func PolicyNames(of func(i int) policy.Policy) []output.Column {
	c := PolicyColumns(of)
	c[0].OnlyJSON, c[1].OnlyJSON = true, true
	return append(c, output.Column{Key: "policy", OnlyCSV: true, Value: func(i int) any { return of(i).String() }})
}

// PolicyCells are the columns that name a policy in CSV.
func PolicyCells(p policy.Policy) []string {
	if n := partitions(p); n > 0 {
		return []string{p.Name(), strconv.Itoa(n)}
	}
	return []string{p.String(), ""}
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
	return &cli.Error{
		Code: cli.ExitUnstable,
		Err: fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
			"rate %s per %s", output.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
			output.Round(most, 4), file.TimeUnit.Name),
		Hint: fmt.Sprintf("it would be stable below load %s", output.Round(most/file.System.Capacity(), 4)),
	}
}
