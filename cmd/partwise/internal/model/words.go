package model

import (
	"fmt"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// Headline names a model and its load.
func Headline(file *spec.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %d nodes%s, load %s", file.Title, s.Nodes, partitions, output.Load(s.Load()))
}

// Thrashing is the share of time from which on repartitioning is worth a warning.
const Thrashing = 0.25

// Heading is what every result says about the model first.
func Heading(file *spec.Model) output.Object {
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

// PolicyObject names a policy as results do.
func PolicyObject(p models.Policy) output.Object {
	o := output.Object{{Name: "policy", Value: p.Kind}}
	if p.Partitions > 0 {
		o.Add("partitions", p.Partitions)
	}
	if p.Parameter != "" {
		o.Add("parameter", p.Parameter)
	}
	return o
}

// PolicyCells are the columns that name a policy in CSV.
func PolicyCells(p models.Policy) []string {
	switch {
	case p.Partitions > 0:
		return []string{p.Kind, strconv.Itoa(p.Partitions)}
	case p.Parameter != "":
		return []string{p.String(), ""}
	}
	return []string{p.Kind, ""}
}

// UnitName returns the unit of a measure as results write it, "" for numbers without one.
func UnitName(u models.Unit, timeUnit string) string {
	switch u {
	case models.Time:
		return timeUnit
	case models.Rate:
		return "1/" + timeUnit
	case models.Jobs:
		return "jobs"
	}
	return ""
}

// Warnings returns the warnings about a result: those of the solver, and those about what it means.
func Warnings(timeUnit string, r *models.Solved) []string {
	var all []string
	for _, w := range r.Measures.Diagnostics.Warnings {
		all = append(all, w.Error())
	}
	if !r.Measures.Stable && len(all) == 0 {
		all = append(all, fmt.Sprintf("unstable: traffic intensity %s; the largest stable arrival rate is %s per %s",
			output.Round(r.Measures.TrafficIntensity, 4), output.Round(r.Measures.MaxArrivalRate, 4), timeUnit))
	}
	if p := r.Measures.Repartitions; p != nil && r.Measures.Stable && p.Probability > Thrashing {
		all = append(all, fmt.Sprintf("thrashing: %s of the time goes into repartitioning", output.Percent(p.Probability)))
	}
	return all
}

// Unstable says that there is no result, and from where on there would be one.
func Unstable(file *spec.Model, results []models.Solved) error {
	widest := results[0]
	for _, r := range results {
		if r.Measures.MaxArrivalRate > widest.Measures.MaxArrivalRate {
			widest = r
		}
	}
	most := widest.Measures.MaxArrivalRate
	return &cli.Error{
		Code: cli.ExitUnstable,
		Err: fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
			"rate %s per %s", output.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
			output.Round(most, 4), file.TimeUnit.Name),
		Hint: fmt.Sprintf("it would be stable below load %s", output.Round(most/file.System.Capacity(), 4)),
	}
}
