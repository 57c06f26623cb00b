package epochscmd

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/epochs"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched/epoch"
)

// row is what came of a policy in a case.
type row struct {
	choice
	epochs.Case
	application epochs.Application // "": it makes no difference
	load        float64            // of an open system
	values      []estimate.Interval
	growth      float64
}

// point is a case with what else is varied besides policies.
type point struct {
	epochs.Case
	application epochs.Application
	load        float64
	chosen      []choice
}

// experiments does the experiment in all cases.
func (o *options) experiments(inv *cli.Invocation) error {
	points, err := o.points(inv)
	if err != nil {
		return err
	}
	e := epochs.Options{Seed: o.seed, Workers: inv.Workers, Confidence: o.confidence, Draws: o.draws,
		Replications: o.replications, Jobs: o.length, Quantum: o.quantum}
	if o.arrivals != "" {
		file, err := modelfile.Load(o.arrivals)
		if err != nil {
			return err
		}
		if err := inv.Reads(append(file.Files, o.arrivals)...); err != nil {
			return err
		}
		o.process = file.System.Arrivals
	}
	total := 0
	for _, p := range points {
		total += o.parts(e, p)
	}
	step, clear := inv.Progress(total, o.experiment)
	defer clear()
	var before atomic.Int64
	e.Progress = func(done int) { step(int(before.Load()) + done) }
	var rows []row
	for _, p := range points {
		some, err := o.do(inv.Context, e, p)
		if err != nil {
			return experimentError(err)
		}
		rows = append(rows, some...)
		before.Add(int64(o.parts(e, p)))
	}
	clear()
	r := &results{options: o, rows: rows}
	if err := inv.Emit(r.result()); err != nil {
		return err
	}
	r.warn(inv)
	return r.plotTo(inv)
}

// experimentError puts what cannot be done down to the command line.
func experimentError(err error) error {
	var limit *epoch.LimitError
	var own *machine.PolicyError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &limit):
		return cli.Usagef("heuristic:K makes good schedules at once", "--policies: %s", cli.Plain(err))
	case errors.As(err, &own):
		return cli.Usagef("", "--policies: %s", cli.Plain(err))
	}
	return cli.Usagef("partwise help epochs", "%s", cli.Plain(err))
}

// points combines what is varied.
func (o *options) points(inv *cli.Invocation) ([]point, error) {
	applications, loads := []epochs.Application{""}, []float64{0}
	if o.experiment != overheadExperiment {
		applications = []epochs.Application{epochs.Static, epochs.Dynamic}
		if o.application != "" {
			applications = []epochs.Application{o.application}
		}
	}
	if o.experiment == openExperiment {
		if loads = o.loads; loads == nil {
			loads = []float64{0.5}
		}
	}
	jobs, factors := o.jobs, o.factors
	if jobs == nil {
		jobs = []int{8}
	}
	if factors == nil {
		factors = []float64{1}
	}
	var points []point
	for _, nodes := range o.nodes {
		chosen, err := o.fit(inv, nodes)
		if err != nil {
			return nil, err
		}
		for _, a := range applications {
			for _, l := range factors {
				for _, j := range jobs {
					c := epochs.Case{Nodes: nodes, Jobs: j, LoadFactor: l}
					if err := c.Check(); err != nil {
						return nil, cli.Usagef("choose --nodes, --jobs and --load-factor that fit each other", "%s", cli.Plain(err))
					}
					for _, load := range loads {
						points = append(points, point{c, a, load, chosen})
					}
				}
			}
		}
	}
	return points, nil
}

// schedulers returns the policies of choices that make schedules.
func schedulers(chosen []choice) []policy.Epochs {
	var all []policy.Epochs
	for i := range chosen {
		all = append(all, chosen[i].epoch())
	}
	return all
}

// parts returns the number of parts that progress is told in.
func (o *options) parts(e epochs.Options, p point) int {
	switch o.experiment {
	case overheadExperiment:
		return e.OverheadParts()
	case responseExperiment:
		return e.ResponseParts(schedulers(p.chosen))
	}
	return e.OpenParts(len(p.chosen))
}

// do does the experiment in a case.
func (o *options) do(ctx context.Context, e epochs.Options, p point) ([]row, error) {
	rows := make([]row, len(p.chosen))
	for i, c := range p.chosen {
		rows[i] = row{choice: c, Case: p.Case, application: p.application, load: p.load}
	}
	switch o.experiment {
	case overheadExperiment:
		all, err := epochs.Overheads(ctx, p.Case, schedulers(p.chosen), e)
		for i := range all {
			rows[i].values = []estimate.Interval{all[i].Normalized}
		}
		return rows, err
	case responseExperiment:
		all, err := epochs.Responses(ctx, p.Case, p.application, schedulers(p.chosen), e)
		for i, r := range all {
			rows[i].values = []estimate.Interval{r.Normalized, r.Relative, r.Mean}
		}
		return rows, err
	}
	arrivals := epochs.Arrivals{Load: p.load, Process: o.process, Table: o.table}
	if o.cost > 0 {
		costs, err := machine.NewReallocations(0, o.cost, machine.ResizedJobs)
		if err != nil {
			return nil, err
		}
		arrivals.Costs = costs
	}
	policies := make([]policy.Policy, len(p.chosen))
	for i := range policies {
		policies[i] = p.chosen[i].Policy
	}
	all, err := epochs.Opens(ctx, p.Case, p.application, arrivals, policies, e)
	for i, r := range all {
		rows[i].values = append([]estimate.Interval{r.Relative}, r.Values...)
		rows[i].growth = r.Growth
	}
	return rows, err
}

// measures returns the names of the values of a row, in order.
func (o *options) measures() []string {
	switch o.experiment {
	case overheadExperiment:
		return []string{"overhead"}
	case responseExperiment:
		return []string{"overhead", relativeResponse, "mean_response_time"}
	}
	return append([]string{relativeResponse}, epochs.OpenMeasures...)
}

const relativeResponse = "relative_response"

// principal returns the index of the value that tables and curves show.
func (o *options) principal() int {
	if o.experiment == responseExperiment {
		return slices.Index(o.measures(), relativeResponse)
	}
	return 0
}
