package coschedulecmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/cluster"
	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

// runs returns what is to be simulated: a figure, or what the flags combine.
func (o *options) runs(inv *cli.Invocation) ([]coscheduling.Run, error) {
	if o.figure.Name != "" {
		return o.figure.Runs, nil
	}
	texts := o.policies
	if texts == nil {
		texts = defaultPolicies
	}
	asked, err := inv.Select("--policies", policy.Machine{Nodes: o.nodes, Unit: 1}, texts...)
	if err != nil {
		return nil, err
	}
	source, err := o.source(inv)
	if err != nil {
		return nil, err
	}
	var runs []coscheduling.Run
	for _, c := range o.cases(source) {
		for _, p := range asked.Run {
			runs = append(runs, coscheduling.Run{Case: c, Policy: p})
		}
	}
	return runs, nil
}

// cases combines what is varied; a name tells what distinguishes a case from the others, besides the load.
func (o *options) cases(source coscheduling.Source) (all []coscheduling.Case) {
	loads := o.loads
	switch {
	case o.backlog:
		loads = []float64{0}
	case loads == nil:
		loads = []float64{coscheduling.FigureLoad}
	}
	for _, mix := range o.mixes {
		m, err := cluster.MixNamed(mix)
		if err != nil {
			continue // every name was checked when it was read
		}
		for _, pattern := range o.patterns {
			for _, skew := range o.skews {
				for _, level := range o.levels {
					parts := []string{mix}
					add := func(several bool, text string) {
						if several {
							parts = append(parts, text)
						}
					}
					add(len(o.patterns) > 1, pattern.String())
					add(len(o.skews) > 1, "skew "+output.Shortest(skew))
					add(len(o.levels) > 1, fmt.Sprintf("MPL %d", level))
					for _, load := range loads {
						c := cluster.Defaults(nil)
						c.Nodes, c.MPL, c.Pattern, c.Messages, c.Skew = o.nodes, level, pattern, o.messages, skew
						c.Costs, c.Choices = o.costs, o.choices
						all = append(all, coscheduling.Case{Name: strings.Join(parts, ", "), Cluster: c, Mix: m, Source: source, Load: load})
					}
				}
			}
		}
	}
	return all
}

// source returns where the jobs come from.
func (o *options) source(inv *cli.Invocation) (coscheduling.Source, error) {
	most := cmp.Or(o.maxNodes, o.nodes)
	if o.log != "" {
		return o.logged(inv, most)
	}
	s := coscheduling.Random{MaxNodes: most, Dedicated: o.dedicated}
	if o.arrivals != "" {
		file, err := modelfile.Load(o.arrivals)
		if err != nil {
			return nil, err
		}
		if err := inv.Reads(append(file.Files, o.arrivals)...); err != nil {
			return nil, err
		}
		s.Interarrival = coscheduling.Process(file.System.Arrivals)
	}
	return s, nil
}

// logged returns the jobs of a log.
func (o *options) logged(inv *cli.Invocation, most int) (coscheduling.Source, error) {
	log, err := o.reading.ReadLog(inv, o.log)
	if err != nil {
		return nil, err
	}
	size := log.Header.Size()
	if size == 0 {
		for i := range log.Jobs {
			size = max(size, log.Jobs[i].Nodes())
		}
	}
	f := swf.Filter{In: swf.Jobs(log.Jobs), Nodes: size}
	jobs, err := swf.All(&f)
	if err != nil {
		return nil, err
	}
	joblog.WarnSkipped(inv, o.log, f.Skipped)
	swf.SortBySubmission(jobs)
	if len(jobs) == 0 {
		return nil, &workload.DataError{File: o.log, Problem: "has no jobs that ran"}
	}
	return coscheduling.Logged{Log: jobs, LogNodes: size, MaxNodes: most, Dedicated: o.dedicated}, nil
}
