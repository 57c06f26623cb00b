package fitcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
)

// fittedClass is a class of the jobs of a log with the best fit of their work.
type fittedClass struct {
	input.DraftClass
	fit.Candidate
}

// fitClasses divides the jobs of a log into classes as partwise init from-log does, fits the work of each, and writes jobs.classes.
func fitClasses(inv *cli.Invocation, o *options) error {
	path := inv.Args[0]
	if path == "-" {
		return cli.Usagef("give the name of the log", "--classes: the log is read several times, which standard input cannot be")
	}
	log, err := o.log.Select(inv, path)
	if err != nil {
		return err
	}
	jobs, err := log.All(0)
	if err != nil {
		return err
	}
	log.WarnSkipped()
	draft, err := o.assuming.Draft(inv, "model.yaml", filepath.ToSlash(path), filepath.Base(path), log.Nodes, jobs)
	if err != nil {
		return err
	}
	if len(draft.Classes) == 0 { // all jobs are alike
		draft.Classes = []input.DraftClass{{Sizes: joblog.Sizes{From: 1, To: draft.Nodes}, Jobs: len(jobs), MaxNodes: draft.Nodes}}
	}
	var all []fittedClass
	for _, class := range draft.Classes {
		of := *o
		of.columns.Log, of.columns.Speedup, of.columns.Sizes = workload.Work, o.assuming.Speedup, class.Sizes
		if of.phases[0] == 0 {
			of.phases = [2]int{class.Phases(), class.Phases()}
		}
		sample, _, err := readSample(inv, &of)
		if err != nil {
			return err
		}
		sample.Resolution = o.resolution
		candidates, err := fit.PhaseType(inv.Context, sample, of.of(inv))
		if err != nil {
			return fitError(inv, &of, err)
		}
		all = append(all, fittedClass{class, candidates[0]})
	}
	if inv.File != "" {
		err := output.WriteFile(inv.File, func(w io.Writer) error { return writeClasses(w, o, draft, all) })
		if err != nil {
			return err
		}
		inv.Notef("wrote %s: jobs.classes of a model", inv.File)
	}
	return inv.Emit(classesResult(o, draft, all))
}

// writeClasses writes the jobs of a model file.
func writeClasses(w io.Writer, o *options, d *input.Draft, all []fittedClass) error {
	fmt.Fprintf(w, "# The jobs of %s, for a model of %d nodes in units of %d with time_unit: %s.\n"+
		"# The nodes that jobs can use, max_nodes, and their speedup are guesses.\njobs:\n  classes:\n", d.Title, d.Nodes, d.Unit, o.unit.Name)
	for i := range all {
		c := &all[i]
		demand, err := json.Marshal(map[string]any{"alpha": c.Dist.Alpha(), "T": modelfile.Rows(c.Dist.T())})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "    - name: %s\n      share: %d           # jobs of the log\n      max_nodes: %d\n      demand: {phase_type: %s}\n"+
			"      speedup: %s\n", c.Name(), c.Jobs, c.MaxNodes, demand, d.Speedup)
		if err != nil {
			return err
		}
	}
	return nil
}

// classesResult returns the classes, the smallest first.
func classesResult(o *options, d *input.Draft, all []fittedClass) *output.Result {
	type row struct {
		Class    string  `key:"class" head:"class"`
		Jobs     int     `key:"jobs" head:"jobs"`
		MaxNodes int     `key:"max_nodes" head:"max_nodes"`
		Family   string  `key:"family" head:"family"`
		Phases   int     `key:"phases" head:"phases"`
		Mean     float64 `key:"mean" head:"mean [unit]"`
		SCV      float64 `key:"scv" head:"SCV"`
		KS       float64 `key:"ks" head:"KS" form:"decimals=4"`
	}
	rows := output.RowsOf(all, func(c fittedClass) row {
		return row{c.Name(), c.Jobs, c.MaxNodes, string(c.Family), c.Dist.Phases(), c.Dist.Mean(), c.Dist.SCV(), c.KS}
	})
	r := &output.Result{Object: output.Pairs("version", output.Version, output.TimeUnit, o.unit.Name, "nodes", d.Nodes,
		"min_nodes", d.Unit, "speedup", d.Speedup)}
	r.List(output.ListOf("classes", fmt.Sprintf("%s: work of classes of jobs by the nodes that they asked for", d.Title), output.Wide, rows, o.unit.Name))
	return r
}
