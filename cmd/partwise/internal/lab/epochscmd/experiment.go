package epochscmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/experiment/epochs"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched/epoch"
)

// choice is a policy of the command line. The policies that --k makes of one name are one series.
type choice struct {
	policy.Policy
	series string
	k      int // of --k; −1 if the policy does not have it from there
}

// policies returns those of choices.
func policies(chosen []choice) []policy.Policy {
	all := make([]policy.Policy, len(chosen))
	for i, c := range chosen {
		all[i] = c.Policy
	}
	return all
}

// texts returns the policies of --policies, or the default policies.
func (o *options) texts() []string {
	switch {
	case o.policies != nil:
		return o.policies
	case o.experiment == epochs.OpenExperiment:
		return []string{"dynamic", "easy", "buddy", "equi", "opt:1", "heuristic:1"}
	case o.spreads != nil:
		return []string{"buddy", "equi", "opt:1", "hybrid", "heuristic"}
	}
	return []string{"buddy", "equi", "opt:1", "hybrid:1", "heuristic:1"}
}

// choose reads the policies. A policy that takes K and is written without one gets each value of --k.
func (o *options) choose(inv *cli.Invocation) error {
	for _, text := range o.texts() {
		written, spreads := []string{text}, []int{-1}
		e, known := inv.Table.Named(text)
		if known && o.spreads != nil && strings.HasPrefix(e.Parameter, "K") {
			written, spreads = nil, o.spreads
			for _, k := range spreads {
				written = append(written, text+":"+strconv.Itoa(k))
			}
		}
		for i, text := range written {
			p, err := inv.Table.Parse(text)
			if err != nil {
				return inv.PolicyError("--policies", err)
			}
			c := choice{p, p.String(), spreads[i]}
			if c.k >= 0 {
				c.series = e.Name
			}
			e, _ := inv.Table.Named(p.Name())
			_, schedules := p.(policy.Epochs)
			switch {
			case o.experiment == epochs.OpenExperiment && e.RunsOn&policy.WholeNodes == 0:
				return cli.Usagef("partwise solve runs it", "--policies: %s does not run on the simulated machine", p)
			case o.experiment != epochs.OpenExperiment && !schedules:
				return cli.Usagef("use "+strings.Join(rules(o.table), ", "), "--policies: %s makes no schedules of a quantum", p)
			}
			o.chosen = append(o.chosen, c)
		}
	}
	if o.spreads != nil && !slices.ContainsFunc(o.chosen, func(c choice) bool { return c.k >= 0 }) {
		inv.Warnf("--k: no policy is given a k by it; write hybrid, opt or heuristic without one")
		o.spreads = nil
	}
	return nil
}

// fit returns the choices that fit a machine. A note tells which do not fit. It is an error if --policies names one that
// does not fit the only machine.
func (o *options) fit(inv *cli.Invocation, nodes int) ([]choice, error) {
	var some []choice
	for _, c := range o.chosen {
		err := c.Check(policy.Machine{Nodes: nodes, Unit: 1})
		switch {
		case err == nil:
			some = append(some, c)
		case o.policies != nil && len(o.nodes) == 1:
			return nil, cli.Usagef("choose --nodes that fits; equi, opt:K and heuristic:K take any number of nodes", "--policies: %s",
				cli.Plain(err))
		default:
			inv.Notef("without %s on %d nodes: %s", c, nodes, strings.TrimPrefix(cli.Plain(err), fmt.Sprintf("policy %s: ", c)))
		}
	}
	if len(some) == 0 {
		return nil, cli.Usagef("use equi, opt:K, heuristic:K", "--policies: none of them runs on %d nodes", nodes)
	}
	return some, nil
}

// row is what came of a choice at a point.
type row struct {
	choice
	*epochs.Result
}

// point is what is to be simulated under some choices.
type point struct {
	epochs.Point
	chosen []choice
}

// experiments does the experiment at all points.
func (o *options) experiments(inv *cli.Invocation) error {
	var points []point
	parts := 0
	s := o.simulation
	s.Workers = inv.Workers
	for _, nodes := range o.nodes {
		chosen, err := o.fit(inv, nodes)
		if err != nil {
			return err
		}
		some, err := o.grid.Points(o.experiment, nodes)
		if err != nil {
			return cli.Usagef("choose --nodes, --jobs and --load-factor that fit each other", "%s", cli.Plain(err))
		}
		for _, p := range some {
			points = append(points, point{p, chosen})
			parts += o.experiment.Parts(policies(chosen), s)
		}
	}
	step, clear := inv.Progress(parts, string(o.experiment))
	defer clear()
	var done atomic.Int64
	s.Progress = func(int) { step(int(done.Add(1))) }
	r := &results{options: o}
	for _, p := range points {
		rows, err := o.experiment.Do(inv.Context, p.Point, epochs.Arrivals{Table: o.table}, policies(p.chosen), s)
		if err != nil {
			return experimentError(err)
		}
		group := make([]row, len(rows))
		for i := range rows {
			group[i] = row{p.chosen[i], &rows[i]}
		}
		r.groups = append(r.groups, group)
	}
	clear()
	if err := inv.Emit(r.result()); err != nil {
		return err
	}
	for _, w := range slices.Concat(r.groups...) {
		if w.Growth > growing {
			inv.Warnf("%s falls behind at the load %s: its response times grow with --length", w.choice, output.Shortest(w.Load))
		}
	}
	if !o.plot.Wanted() {
		return nil
	}
	f := r.figure()
	if f == nil {
		return cli.Usagef("for example --jobs 2:32:2", "--plot: nothing is varied")
	}
	return inv.Draw(o.plot, f)
}

// growing is the least growth of the number of jobs under a policy that falls behind.
const growing = 2

// experimentError returns an error of an experiment as a mistake of the command line.
func experimentError(err error) error {
	hint, where := "partwise help epochs", ""
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, new(*epoch.LimitError)):
		hint, where = "heuristic:K makes good schedules at once", "--policies: "
	case errors.As(err, new(*machine.PolicyError)):
		hint, where = "", "--policies: "
	}
	return cli.Usagef(hint, "%s%s", where, cli.Plain(err))
}

// result returns the rows as one list, and the tables of the experiment.
func (r *results) result() *output.Result {
	out := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}, {Name: output.TimeUnit, Value: "1"},
		{Name: "experiment", Value: string(r.experiment)}}}
	out.List(r.list())
	if r.experiment != epochs.OpenExperiment {
		out.List(r.pivot())
		return out
	}
	for _, group := range r.groups {
		w := group[0]
		l := &output.List{Len: len(group), Form: output.NoCSV, Title: r.titled(fmt.Sprintf(
			"%d nodes, jobs need 1 to %d, %s applications, load %s", w.Nodes, w.Most(), w.Application, output.Shortest(w.Load)))}
		l.Columns = []output.Column{{Name: "policy", Value: func(i int) any { return group[i].String() }}}
		for k, key := range r.experiment.Measures() {
			l.Columns = append(l.Columns, output.Column{Name: []string{"relative", "response", "waiting", "slowdown"}[k], Text: estimated,
				Value: func(i int) any { return group[i].Of(key) }})
		}
		out.List(l)
	}
	return out
}
