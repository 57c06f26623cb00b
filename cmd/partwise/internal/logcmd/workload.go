package logcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// Workload returns the command that makes a job log.
func Workload() cli.Command {
	return cli.WithOptions(newWorkloadOptions, makeLog, cli.Command{
		Name:      "workload",
		Summary:   "make a job log from a model of jobs",
		Arguments: "MODEL",
		Choices:   modelWords(),
		Details: "Writes a job log in Standard Workload Format with the jobs of a model: " + jobModelNames() + ". Its load " +
			"is set by stretching the times between submissions. --estimates adds the run times that users would request.",
		Examples: []string{
			"partwise lab workload lublin99 --nodes 128 --jobs 2000 --load 0.7 --estimates model --output made.swf",
			"partwise lab workload jann97 --fit log.swf.gz --nodes 16 --jobs 500 | partwise replay - --policy easy",
		},
		Formats: []string{}, // a log
	})
}

// workloadOptions are the flags of workload.
type workloadOptions struct {
	nodes, jobs int
	load        float64         // 0: the load of the model
	estimates   input.Estimates // the zero value: none
	fit         string          // the log that a model is fitted to
	seed        uint64
}

func newWorkloadOptions() *workloadOptions {
	return &workloadOptions{nodes: 128, jobs: 10_000, seed: cli.DefaultSeed}
}

// Flags binds the flags.
func (o *workloadOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Int(&o.nodes, "nodes", values.PositiveInt, cli.About{Usage: "make jobs for a machine of `N` nodes",
			Hint: "for example --nodes 128"}),
		cli.Int(&o.jobs, "jobs", values.Between(1, workload.MostJobs), cli.About{Usage: "make `N` jobs",
			Hint: "for example --jobs 10000"}),
		input.OneLoad(&o.load, "", cli.About{Default: "that of the model",
			Usage: "stretch the times between submissions so that the jobs offer the load `LOAD`"}),
		cli.Value(&o.estimates, "estimates", parseRequests, cli.About{Default: "none",
			Usage: "add requested run times by the estimates `ESTIMATES`: " + strings.Join(requestForms(), ", "),
			Hint:  "for example --estimates model"}),
		cli.InputFile(&o.fit, "fit", "fit the model jann97 to the jobs of `LOG`"),
		cli.Seed(&o.seed, "draw the jobs from the seed `N`"),
	}
}

// parseRequests parses estimates that are there before any job has run.
func parseRequests(text string) (input.Estimates, error) {
	if text == "" {
		return input.Estimates{}, nil
	}
	e, err := input.ParseEstimates(text)
	if err != nil {
		return e, err
	}
	if _, learns := e.New().(workload.Learner); learns {
		return e, fmt.Errorf("%s learns from run times, and these jobs have not run yet", text)
	}
	return e, nil
}

// requestForms lists the estimates that are there before any job has run.
func requestForms() []string {
	return slices.DeleteFunc(workload.EstimatorForms(), func(form string) bool {
		_, err := parseRequests(strings.Replace(form, ":F", ":1", 1))
		return err != nil
	})
}

// modelWords returns the names of the models of jobs.
func modelWords() []string {
	return words.Texts(workload.JobModels(), func(e workload.JobModelEntry) string { return e.Name })
}

// jobModelNames returns the names of the models of jobs, with what they are.
func jobModelNames() string {
	named := func(e workload.JobModelEntry) string { return e.Name + " (" + e.Summary + ")" }
	return strings.Join(words.Texts(workload.JobModels(), named), ", ")
}

func makeLog(inv *cli.Invocation, o *workloadOptions) error {
	model, err := jobModel(inv, inv.Args[0], o.fit)
	if err != nil {
		return err
	}
	made := replay.MadeLog{Model: model, Nodes: o.nodes, Jobs: o.jobs, Load: o.load, Seed: o.seed}
	if o.estimates.New != nil {
		made.Estimator = o.estimates.New()
	}
	jobs, err := parallel.Abandonable(inv.Context, made.Make)
	switch {
	case inv.Context.Err() != nil:
		return inv.Context.Err()
	case errors.As(err, new(*workload.DataError)), errors.As(err, new(*replay.SettingError)):
		return fault.Usagef("ask for more jobs", "--load: %s", fault.Plain(err))
	case err != nil:
		return fault.Usagef("partwise help workload", "%s: %s", inv.Args[0], fault.Plain(err))
	}
	header := joblog.Header{Comments: []string{" Version: 2.2", " Computer: made up by a model",
		fmt.Sprintf(" Note: %s of partwise, seed %d", inv.Args[0], o.seed), fmt.Sprintf(" MaxJobs: %d", o.jobs)}}
	header.StateSize(o.nodes)
	return inv.Write(func(w io.Writer) error { return joblog.WriteSWF(w, &header, joblog.ListOf(jobs).All()) })
}

// jobModel returns the model of a name, fitted to the log at a path if it wants one.
func jobModel(inv *cli.Invocation, name, path string) (workload.JobModel, error) {
	e, err := workload.JobModelNamed(name)
	if err != nil {
		return nil, fault.Usagef(words.Suggest(name, modelWords()), "unknown model %q", name)
	}
	if e.FromLog != (path != "") {
		if e.FromLog {
			return nil, fault.Usagef("for example --fit log.swf.gz", "%s is fitted to a log: say which", name)
		}
		return nil, fault.Usagef("leave --fit out", "%s is not fitted to a log", name)
	}
	var log joblog.Log
	if path != "" {
		if log, err = new(input.Reading).ReadLog(inv, path); err != nil {
			return nil, err
		}
		slices.SortStableFunc(log.Jobs, func(a, b joblog.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	}
	m, err := e.New(log.Jobs)
	if err != nil {
		return nil, &workload.DataError{File: path, Problem: fault.Plain(err)}
	}
	return m, nil
}
