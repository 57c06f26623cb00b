package epochscmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/experiment/epochs"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched/epoch"
)

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
	arrivals, err := o.openArrivals(inv)
	if err != nil {
		return err
	}
	step, clear := inv.Progress(parts, string(o.experiment))
	defer clear()
	var done atomic.Int64
	s.Progress = func(int) { step(int(done.Add(1))) }
	r := &results{options: o}
	for _, p := range points {
		rows, err := o.experiment.Do(inv.Context, p.Point, arrivals, policies(p.chosen), s)
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

// growing is the growth of the number of jobs from which on a policy is taken to fall behind.
const growing = 2

// openArrivals returns how jobs come to an open system.
func (o *options) openArrivals(inv *cli.Invocation) (a epochs.Arrivals, err error) {
	a.Table = o.table
	if o.arrivals != "" {
		if a.Process, err = model.Arrivals(inv, o.arrivals); err != nil {
			return a, err
		}
	}
	if o.cost > 0 {
		a.Costs, err = machine.NewReallocations(0, o.cost, machine.ResizedJobs)
	}
	return a, err
}

// experimentError puts what cannot be done down to the command line.
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
