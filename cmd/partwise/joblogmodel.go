package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
)

func workloadCommand() command {
	return command{
		name:      "workload",
		group:     describing,
		summary:   "make a job log from a model of jobs",
		arguments: "MODEL",
		details: "Writes a job log in Standard Workload Format with the jobs of a model: " + jobModelNames() + ". Its load " +
			"is set by stretching the times between submissions. --estimates adds what users request, as replay would.",
		examples: []string{
			"partwise workload lublin99 --nodes 128 --jobs 2000 --load 0.7 --estimates model --output made.swf",
			"partwise workload jann97 --fit log.swf.gz --nodes 16 --jobs 500 | partwise replay - --policy easy",
		},
		flags: []cli.Flag{
			&cli.IntFlag{Name: "nodes", Value: 128, Usage: "`N` nodes of the machine"},
			&cli.IntFlag{Name: "jobs", Value: 10_000, Usage: "`N` jobs"},
			&cli.StringFlag{Name: "load", Usage: "`X` that the jobs offer", DefaultText: "that of the model"},
			&cli.StringFlag{Name: "estimates", Usage: "what users request: `E` as of replay", DefaultText: "nothing"},
			&cli.StringFlag{Name: "fit", TakesFile: true, Usage: "the `LOG` that jann97 is fitted to"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the same seed gives the same log"},
		},
		minArgs: 1, maxArgs: 1,
		run: makeLog,
	}
}

func jobModelNames() string {
	parts := make([]string, len(workload.JobModels))
	for i, e := range workload.JobModels {
		parts[i] = e.Name + " (" + e.Summary + ")"
	}
	return strings.Join(parts, ", ")
}

// mostMade bounds the jobs of a log that is made: its load is set when all are there.
const mostMade = 10_000_000

// Streams of the random numbers of a log that is made.
const (
	jobStream = iota
	estimateStream
)

func makeLog(inv *invocation) error {
	nodes, n := inv.flags.Int("nodes"), inv.flags.Int("jobs")
	switch {
	case nodes < 1:
		return usage("for example --nodes 128", "--nodes: %d is not a positive number", nodes)
	case n < 1 || n > mostMade:
		return usage("for example --jobs 10000", "--jobs: %d is not a number between 1 and %d", n, mostMade)
	}
	load, err := inv.load()
	if err != nil {
		return err
	}
	model, err := inv.jobModel(inv.args[0])
	if err != nil {
		return err
	}
	key := des.Seed(inv.flags.Uint64("seed"))
	stream := key.At(jobStream).Stream()
	source, err := model.Jobs(nodes, &stream)
	if err != nil {
		return usage("partwise help workload", "%s: %s", model.Name(), plain(err))
	}
	jobs, err := swf.All(workload.First(source, n))
	if err != nil {
		return err
	}
	if err := inv.request(jobs, key.At(estimateStream)); err != nil {
		return err
	}
	if load > 0 {
		if jobs, err = stretched(jobs, nodes, load); err != nil {
			return err
		}
	}
	comments := []string{" Version: 2.2", " Computer: made up by a model", fmt.Sprintf(" Note: %s of partwise, seed %d",
		model.Name(), inv.flags.Uint64("seed")), fmt.Sprintf(" MaxJobs: %d", n), fmt.Sprintf(" MaxNodes: %d", nodes),
		fmt.Sprintf(" MaxProcs: %d", nodes)}
	return inv.write(func(w io.Writer) error { return writeLog(w, comments, jobs) })
}

// jobModel returns the model of a name, fitted to the log of --fit if it wants one.
func (inv *invocation) jobModel(name string) (workload.JobModel, error) {
	e, err := workload.NamedJobModel(name)
	if err != nil {
		var names []string
		for _, m := range workload.JobModels {
			names = append(names, m.Name)
		}
		hint := "models: " + strings.Join(names, ", ")
		if near := nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, usage(hint, "workload: unknown model %q", name)
	}
	path := inv.flags.String("fit")
	if e.FromLog != (path != "") {
		if e.FromLog {
			return nil, usage("for example --fit log.swf.gz", "%s is fitted to a log: say which", name)
		}
		return nil, usage("leave --fit out", "%s is not fitted to a log", name)
	}
	var log swf.Log
	if path != "" {
		file, name, err := inv.open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if log, err = swf.ReadLog(file, name); err != nil {
			return nil, err
		}
		swf.SortBySubmission(log.Jobs)
	}
	m, err := e.New(log.Jobs)
	if err != nil {
		return nil, &workload.DataError{File: path, Problem: plain(err)}
	}
	return m, nil
}

// request writes what users request, if that is asked for.
func (inv *invocation) request(jobs []swf.Job, key des.Key) error {
	text := inv.flags.String("estimates")
	if text == "" {
		return nil
	}
	e, err := workload.ParseEstimator(text)
	if err != nil {
		return usage("for example --estimates model", "--estimates: %s", plain(err))
	}
	estimator := e()
	if _, learns := estimator.(workload.Learner); learns {
		return usage("for example --estimates model", "--estimates: %s learns from runs, which these jobs have not had", text)
	}
	for i := range jobs {
		j := &jobs[i]
		stream := key.At(uint64(i)).Stream()
		j.Estimate = math.Ceil(estimator.Estimate(workload.SubmissionOf(j), j.Submit, &stream))
	}
	return nil
}

// stretched returns the jobs at another load, submitted at whole seconds as the format wants.
func stretched(jobs []swf.Job, nodes int, load float64) ([]swf.Job, error) {
	offer, err := swf.OfferOf(swf.Jobs(jobs))
	if err != nil {
		return nil, err
	}
	now := offer.Load(nodes)
	if !(now > 0) || math.IsInf(now, 1) {
		return nil, usage("ask for more jobs", "--load: %d jobs have no load that could be changed", len(jobs))
	}
	out, err := swf.All(&swf.Stretch{In: swf.Jobs(slices.Clone(jobs)), Factor: now / load})
	for i := range out {
		out[i].Submit = math.Round(out[i].Submit)
	}
	return out, err
}

func writeLog(w io.Writer, comments []string, jobs []swf.Job) error {
	out, err := swf.NewWriter(w, comments)
	if err != nil {
		return err
	}
	for i := range jobs {
		if err := out.Write(&jobs[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}
