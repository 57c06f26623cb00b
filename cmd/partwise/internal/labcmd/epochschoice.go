package labcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

// choose reads the policies of --policies, or the default policies, and checks that the experiment runs them.
func (o *epochsOptions) choose(inv *cli.Invocation) (err error) {
	texts := o.policies
	if texts == nil {
		texts = o.experiment.Defaults(o.spreads != nil)
	}
	if o.chosen, err = lab.EpochChoices(inv.Table, texts, o.spreads); err != nil {
		return input.PolicyError(inv, "--policies", err)
	}
	for _, c := range o.chosen {
		e, _ := inv.Table.Named(c.Name())
		_, schedules := c.Policy.(policy.Epochs)
		switch {
		case o.experiment == lab.OpenExperiment && e.RunsOn&policy.WholeNodes == 0:
			return fault.Usagef("partwise solve runs it", "--policies: %s does not run on the simulated machine", c)
		case o.experiment != lab.OpenExperiment && !schedules:
			return fault.Usagef("use "+strings.Join(lab.EpochRules(o.table), ", "), "--policies: %s makes no schedules of a quantum", c)
		}
	}
	if o.spreads != nil && !slices.ContainsFunc(o.chosen, func(c lab.EpochChoice) bool { return c.K >= 0 }) {
		inv.Warnf("--k: no policy is given a k by it; write hybrid, opt or heuristic without one")
		o.spreads = nil
	}
	return nil
}

// fit returns the choices that fit a machine; notes name the others. It is an error if --policies names a policy that does
// not fit the only machine.
func (o *epochsOptions) fit(inv *cli.Invocation, nodes int) ([]lab.EpochChoice, error) {
	var some []lab.EpochChoice
	for _, c := range o.chosen {
		err := c.Check(policy.Machine{Nodes: nodes, Unit: 1})
		switch {
		case err == nil:
			some = append(some, c)
		case o.policies != nil && len(o.nodes) == 1:
			return nil, fault.Usagef("choose --nodes that fits; equi, opt:K and heuristic:K take any number of nodes", "--policies: %s",
				fault.Plain(err))
		default:
			inv.Notef("without %s on %d nodes: %s", c, nodes, strings.TrimPrefix(fault.Plain(err), fmt.Sprintf("policy %s: ", c)))
		}
	}
	if len(some) == 0 {
		return nil, fault.Usagef("use equi, opt:K, heuristic:K", "--policies: none of them runs on %d nodes", nodes)
	}
	return some, nil
}

// experiments does the experiment at all combinations of the flags, and writes and draws the results. It warns of policies
// that fall behind.
func (o *epochsOptions) experiments(inv *cli.Invocation) error {
	var points []lab.EpochPoint
	fitting := map[int][]lab.EpochChoice{} // by the number of nodes
	s := o.simulation
	s.Workers, s.Table = inv.Workers, o.table
	for _, nodes := range o.nodes {
		chosen, err := o.fit(inv, nodes)
		if err != nil {
			return err
		}
		some, err := o.experiment.Points(nodes, o.applications, o.loadFactors, o.jobs, o.loads)
		if err != nil {
			return fault.Usagef("choose --nodes, --jobs and --load-factor that fit each other", "%s", fault.Plain(err))
		}
		fitting[nodes], points = chosen, append(points, some...)
	}
	step, clear := inv.Progress(len(points), string(o.experiment))
	defer clear()
	r := &results{epochsOptions: o}
	for i, p := range points {
		group, err := o.experiment.Do(inv.Context, p, fitting[p.Nodes], s)
		if err != nil {
			return experimentError(err)
		}
		r.groups = append(r.groups, group)
		step(i + 1)
	}
	clear()
	if err := inv.Emit(r.result()); err != nil {
		return err
	}
	for _, w := range slices.Concat(r.groups...) {
		if w.FallsBehind() {
			inv.Warnf("%s falls behind at the load %s: its response times grow with --length", w.Choice, words.Shortest(w.Load))
		}
	}
	if !o.plot.Wanted() {
		return nil
	}
	f := r.figure()
	if f == nil {
		return fault.Usagef("for example --jobs 2:32:2", "--plot: nothing is varied")
	}
	return input.Draw(inv, o.plot, f)
}

// experimentError returns an error of an experiment as a mistake of the command line.
func experimentError(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, sched.ErrSearchTooLarge):
		return fault.Hint(fault.ExitTooLarge, "heuristic:K makes good schedules at once", errors.New("--policies: "+fault.Plain(err)))
	case errors.Is(err, parallel.ErrTooLarge):
		return err
	case errors.As(err, new(*machine.PolicyError)):
		return fault.Usagef("", "--policies: %s", fault.Plain(err))
	}
	return fault.Usagef("partwise help epochs", "%s", fault.Plain(err))
}

// result returns the rows as one list, and the tables of the experiment.
func (r *results) result() *output.Result {
	out := output.NewResult("1", output.Field{Name: "experiment", Value: string(r.experiment)})
	out.List(r.list())
	if r.experiment != lab.OpenExperiment {
		out.List(r.pivot())
		return out
	}
	for _, group := range r.groups {
		w := group[0]
		title := titled(fmt.Sprintf("%d nodes, jobs need 1 to %d, %s applications, load %s", w.Nodes, w.Most(), w.Application,
			words.Shortest(w.Load)), lab.EpochConfidence)
		out.List(output.NewTable(title, group, func(one *lab.EpochResult) output.Row {
			row := output.Row{output.InTable("policy").Is(one.Choice.String())}
			for k, key := range r.experiment.Measures() {
				head := []string{"relative", "response", "waiting", "slowdown"}[k]
				row = append(row, output.InTable(head).Written(estimated).Is(one.Of(key)))
			}
			return row
		}))
	}
	return out
}
