package testbedcmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/estimate"
	"github.com/partwise/partwise/validate/experiment/prediction"
	"github.com/partwise/partwise/validate/testbed"
)

func experimentCommand() cli.Command {
	return cli.WithOptions(newExperimentOptions, experiment, cli.Command{
		Name:    "experiment",
		Summary: "predict response times on real processes, run them, and compare",
		Details: "Measures a machine of processes as measure does, solves the chains and simulates whole nodes with what was measured, " +
			"writes that down, and then runs the same jobs on the processes. Work is sleep, scaled to milliseconds: the " +
			"experiment shows how jobs queue and what repartitions cost, not how programs speed up.",
		Examples: []string{
			"partwise testbed experiment --nodes 2 --times 5 --mean 100ms --load 0.5 --jobs 20 --replications 2 --least-idle 0",
			"partwise testbed experiment --nodes 2 --times 5 --mean 100ms --load 0.5 --jobs 10 --replications 2 --policies dynamic --least-idle 0 --predictions before.json --output after.json",
		},
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.Chain,
	})
}

// experimentOptions are the flags of testbed experiment.
type experimentOptions struct {
	machineOptions
	loads        []float64
	policies     []string
	replications int
	jobs         int
	machines     int
	predictions  string
}

func newExperimentOptions() *experimentOptions {
	return &experimentOptions{machineOptions: newMachineOptions(), loads: []float64{0.3, 0.5, 0.7},
		policies: []string{"dynamic", "static:2"}, replications: 10, jobs: 150, machines: 1}
}

// Flags binds the flags.
func (o *experimentOptions) Flags() []cli.Flag {
	return append(o.flags(),
		cli.Loads(&o.loads, cli.About{Default: "0.3,0.5,0.7", Usage: "offer each load of `LIST`, values or ranges A:B:STEP"}),
		cli.Value(&o.policies, "policies", cli.PolicyList, cli.About{Default: "dynamic,static:2",
			Usage: "run the policies of `LIST`: dynamic, static:K"}),
		cli.Int(&o.replications, "replications", cli.Between(2, 1000), cli.About{Hint: "for example --replications 10",
			Usage: "run everything `R` times, with other jobs"}),
		cli.Int(&o.jobs, "jobs", cli.Between(10, 100_000), cli.About{Hint: "for example --jobs 150",
			Usage: "run `N` jobs in each replication"}),
		cli.Int(&o.machines, "machines", cli.Between(1, 64), cli.About{Hint: "for example --machines 4",
			Usage: "run `M` machines at a time, each with its own processes; they disturb each other"}),
		cli.OutputFile(&o.predictions, "predictions", "write what is predicted to `FILE`, with the time, before anything is run"),
	)
}

// Check checks what flags say together.
func (o *experimentOptions) Check(*cli.Invocation) error { return o.check() }

func experiment(inv *cli.Invocation, o *experimentOptions) error {
	selected, err := inv.Select("--policies", policy.Machine{Nodes: o.study.Nodes, Unit: 1}, o.policies...)
	if err != nil {
		return err
	}
	for _, p := range selected.Named {
		if !slices.Contains([]string{"dynamic", "static"}, p.Name()) {
			return cli.Usagef("for example --policies dynamic,static:2", "--policies: the processes are shared by dynamic or static:K, not %s", p)
		}
	}
	machines := make(chan *testbed.Machine, o.machines)
	defer func() {
		for len(machines) > 0 {
			(<-machines).Close()
		}
	}()
	for range o.machines {
		m, err := o.start(inv)
		if err != nil {
			return err
		}
		machines <- m
	}
	idle := testbed.NewIdle()
	inv.Notef("measuring %d transitions, %d times each, and run times alone, about %v", 2*o.study.Nodes-1, o.study.Times,
		o.study.Duration().Round(time.Second))
	m := <-machines
	measured, err := o.study.Measure(inv.Context, m, des.Seed(o.seed))
	machines <- m
	if err != nil {
		return err
	}
	predicted, err := o.predict(inv, measured, selected.Named)
	if err != nil {
		return err
	}
	at := time.Now()
	if o.predictions != "" {
		object := output.Object{{Name: "version", Value: output.Version}, {Name: "predicted_at", Value: at.Format(time.RFC3339)}}
		object.Add("results", predictions(predicted))
		if err := output.WriteFile(o.predictions, func(w io.Writer) error { return output.WriteJSON(w, object) }); err != nil {
			return err
		}
	}
	real, err := o.run(inv, machines, predicted)
	if err != nil {
		return err
	}
	share := idle.Share()
	comparisons := prediction.Compare(predicted, real)
	if err := inv.Emit(o.compared(measured, comparisons, at, share)); err != nil {
		return err
	}
	return o.void(share)
}

// predict predicts all experiments.
func (o *experimentOptions) predict(inv *cli.Invocation, m *prediction.Measured, policies []policy.Policy) ([]prediction.Prediction, error) {
	sys, err := o.study.System(m)
	if err != nil {
		return nil, err
	}
	experiments, err := o.study.Experiments(sys, o.loads, policies, o.replications, o.jobs, des.Seed(o.seed))
	if err != nil {
		return nil, err
	}
	all := make([]prediction.Prediction, len(experiments))
	for i, e := range experiments {
		if all[i], err = o.study.Predict(inv.Context, m, sys, e, inv.Workers); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// run runs all replications of all experiments, several machines at a time.
func (o *experimentOptions) run(inv *cli.Invocation, machines chan *testbed.Machine, all []prediction.Prediction) ([][]prediction.Measures, error) {
	real := make([][]prediction.Measures, len(all))
	for i := range real {
		real[i] = make([]prediction.Measures, o.replications)
	}
	step, clear := inv.Progress(len(all)*o.replications, "running jobs on processes")
	defer clear()
	var done atomic.Int32
	return real, parallel.Each(inv.Context, len(all)*o.replications, o.machines, func(k int) error {
		m := <-machines
		defer func() { machines <- m }()
		i, r := k/o.replications, k%o.replications
		var err error
		real[i][r], err = o.study.Run(inv.Context, m, all[i].Experiment, r)
		step(int(done.Add(1)))
		return err
	})
}

// predictions are what is written before anything is run.
func predictions(all []prediction.Prediction) []output.Object {
	var rows []output.Object
	for _, c := range prediction.Expectations(all) {
		rows = append(rows, output.Object{{Name: "policy", Value: c.Policy.String()}, {Name: "load", Value: c.Load},
			{Name: "measure", Value: c.Measure}, {Name: "chain_all_stop", Value: c.AllStop}, {Name: "chain_resized_stop", Value: c.ResizedStop},
			{Name: "simulated", Value: interval(c.Simulated)}, {Name: "simulated_phases", Value: interval(c.Phased)}})
	}
	return rows
}

func interval(i estimate.Interval) output.Object {
	return output.Object{{Name: "mean", Value: i.Mean}, {Name: "half_width", Value: i.HalfWidth}}
}

func (o *experimentOptions) compared(m *prediction.Measured, all []prediction.Comparison, at time.Time, idle float64) *cli.Result {
	r := o.result(m, idle)
	r.CSV = [][]string{{"policy", "load", "measure", "chain_all_stop", "chain_resized_stop", "simulated", "simulated_half_width",
		"real", "real_half_width", "difference", "difference_half_width", "agrees", "simulated_phases", "difference_phases",
		"difference_phases_half_width", "agrees_phases", "time_unit"}}
	table := output.Table{Title: "Predicted, and what came of it", Columns: []output.Column{{Name: "policy"}, {Name: "load", Number: true},
		{Name: "measure"}, {Name: "all stop", Number: true, Extra: true}, {Name: "resized stop", Number: true}, {Name: "whole nodes", Number: true},
		{Name: "phases", Number: true}, {Name: "real", Number: true}, {Name: "±", Number: true}, {Name: "fits"}}}
	var results []output.Object
	var off []string
	for _, c := range all {
		results = append(results, output.Object{{Name: "policy", Value: c.Policy.String()}, {Name: "load", Value: c.Load},
			{Name: "measure", Value: c.Measure}, {Name: "chain_all_stop", Value: c.AllStop}, {Name: "chain_resized_stop", Value: c.ResizedStop},
			{Name: "simulated", Value: interval(c.Simulated)}, {Name: "real", Value: interval(c.Real)},
			{Name: "difference", Value: interval(c.Difference)}, {Name: "agrees", Value: c.Agrees},
			{Name: "simulated_phases", Value: interval(c.Phased)}, {Name: "difference_phases", Value: interval(c.PhasedDifference)},
			{Name: "agrees_phases", Value: c.PhasedAgrees}})
		row := []string{c.Policy.String(), output.Shortest(c.Load), c.Measure}
		for _, x := range []float64{c.AllStop, c.ResizedStop, c.Simulated.Mean, c.Simulated.HalfWidth, c.Real.Mean, c.Real.HalfWidth,
			c.Difference.Mean, c.Difference.HalfWidth} {
			row = append(row, output.Shortest(x))
		}
		r.CSV = append(r.CSV, append(row, fmt.Sprint(c.Agrees), output.Shortest(c.Phased.Mean), output.Shortest(c.PhasedDifference.Mean),
			output.Shortest(c.PhasedDifference.HalfWidth), fmt.Sprint(c.PhasedAgrees), "s"))
		if c.Real.Mean == 0 && c.AllStop == 0 {
			continue // repartitions of static partitioning
		}
		fits := "both"
		switch {
		case c.Agrees && !c.PhasedAgrees:
			fits = "whole nodes"
		case c.PhasedAgrees && !c.Agrees:
			fits = "phases"
		case !c.PhasedAgrees:
			fits = "no"
		}
		if !c.PhasedAgrees {
			off = append(off, fmt.Sprintf("%s of %s at load %s (%s %%)", c.Measure, c.Policy, output.Shortest(c.Load),
				output.Fixed(100*(c.Real.Mean/c.Phased.Mean-1), 1)))
		}
		table.Rows = append(table.Rows, []string{row[0], row[1], measureWords[c.Measure], output.Round(c.AllStop, 4), output.Round(c.ResizedStop, 4),
			output.Round(c.Simulated.Mean, 4), output.Round(c.Phased.Mean, 4), output.Round(c.Real.Mean, 4),
			output.Round(c.Real.HalfWidth, 2), fits})
	}
	r.JSON.Add("predicted_at", at.Format(time.RFC3339))
	r.JSON.Add("results", results)
	r.Tables = append(r.Tables, table)
	r.Notes = append(r.Notes, "Columns all stop and resized stop are chains in the long run; whole nodes is the simulation of the jobs that were "+
		"run, where resized jobs stand still for a whole repartition; in that of column phases they work on to the ends of their "+
		"phases, and what happens during a repartition waits for its end, as on the processes. Column fits names the simulations from "+
		"which the difference is not significant, all rows together at 5 %.")
	if off != nil {
		r.Notes = append(r.Notes, "What does not fit phases: "+strings.Join(off, ", ")+". Processes wait for processors that others use, and "+
			"a phase is over when the last one has done it.")
	}
	return r
}

// measureWords are the measures in a table.
var measureWords = map[string]string{"mean_response_time": "T [s]", "probability_repartition": "p_r", "repartition_rate": "rate [1/s]"}
