package joblog

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate/des"
)

// Workload is the command that makes a job log.
func Workload() cli.Command {
	return cli.Command{
		Name:      "workload",
		Group:     cli.Describing,
		Summary:   "make a job log from a model of jobs",
		Arguments: "MODEL",
		Details: "Writes a job log in Standard Workload Format with the jobs of a model: " + jobModelNames() + ". Its load " +
			"is set by stretching the times between submissions. --estimates adds what users request, as replay would.",
		Examples: []string{
			"partwise workload lublin99 --nodes 128 --jobs 2000 --load 0.7 --estimates model --output made.swf",
			"partwise workload jann97 --fit log.swf.gz --nodes 16 --jobs 500 | partwise replay - --policy easy",
		},
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "nodes", Value: 128, Usage: "`N` nodes of the machine"},
			&urfave.IntFlag{Name: "jobs", Value: 10_000, Usage: "`N` jobs"},
			&urfave.StringFlag{Name: "load", Usage: "`X` that the jobs offer", DefaultText: "that of the model"},
			&urfave.StringFlag{Name: "estimates", Usage: "what users request: `E` as of replay", DefaultText: "nothing"},
			&urfave.StringFlag{Name: "fit", TakesFile: true, Usage: "the `LOG` that jann97 is fitted to"},
			&urfave.Uint64Flag{Name: "seed", Value: 1, Usage: "the same seed gives the same log"},
		},
		MinArgs: 1, MaxArgs: 1,
		Run: makeLog,
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

func makeLog(inv *cli.Invocation) error {
	nodes, n := inv.Flags.Int("nodes"), inv.Flags.Int("jobs")
	switch {
	case nodes < 1:
		return cli.Usagef("for example --nodes 128", "--nodes: %d is not a positive number", nodes)
	case n < 1 || n > mostMade:
		return cli.Usagef("for example --jobs 10000", "--jobs: %d is not a number between 1 and %d", n, mostMade)
	}
	load, err := inv.Load()
	if err != nil {
		return err
	}
	model, err := jobModel(inv, inv.Args[0])
	if err != nil {
		return err
	}
	key := des.Seed(inv.Flags.Uint64("seed"))
	stream := key.At(jobStream).Stream()
	source, err := model.Jobs(nodes, &stream)
	if err != nil {
		return cli.Usagef("partwise help workload", "%s: %s", model.Name(), cli.Plain(err))
	}
	jobs, err := swf.All(workload.First(source, n))
	if err != nil {
		return err
	}
	if err := addEstimates(inv, jobs, key.At(estimateStream)); err != nil {
		return err
	}
	if load > 0 {
		if jobs, err = stretched(jobs, nodes, load); err != nil {
			return err
		}
	}
	comments := []string{" Version: 2.2", " Computer: made up by a model", fmt.Sprintf(" Note: %s of partwise, seed %d",
		model.Name(), inv.Flags.Uint64("seed")), fmt.Sprintf(" MaxJobs: %d", n), fmt.Sprintf(" MaxNodes: %d", nodes),
		fmt.Sprintf(" MaxProcs: %d", nodes)}
	return inv.Write(func(w io.Writer) error { return writeLog(w, comments, jobs) })
}

// jobModel returns the model of a name, fitted to the log of --fit if it wants one.
func jobModel(inv *cli.Invocation, name string) (workload.JobModel, error) {
	e, err := workload.NamedJobModel(name)
	if err != nil {
		var names []string
		for _, m := range workload.JobModels {
			names = append(names, m.Name)
		}
		hint := "models: " + strings.Join(names, ", ")
		if near := cli.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, cli.Usagef(hint, "workload: unknown model %q", name)
	}
	path := inv.Flags.String("fit")
	if e.FromLog != (path != "") {
		if e.FromLog {
			return nil, cli.Usagef("for example --fit log.swf.gz", "%s is fitted to a log: say which", name)
		}
		return nil, cli.Usagef("leave --fit out", "%s is not fitted to a log", name)
	}
	var log swf.Log
	if path != "" {
		file, name, err := inv.Open(path)
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
		return nil, &workload.DataError{File: path, Problem: cli.Plain(err)}
	}
	return m, nil
}

// addEstimates writes what users request, if that is asked for.
func addEstimates(inv *cli.Invocation, jobs []swf.Job, key des.Key) error {
	text := inv.Flags.String("estimates")
	if text == "" {
		return nil
	}
	e, err := workload.ParseEstimator(text)
	if err != nil {
		return cli.Usagef("for example --estimates model", "--estimates: %s", cli.Plain(err))
	}
	estimator := e()
	if _, learns := estimator.(workload.Learner); learns {
		return cli.Usagef("for example --estimates model",
			"--estimates: %s learns from runs, which these jobs have not had", text)
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
		return nil, cli.Usagef("ask for more jobs", "--load: %d jobs have no load that could be changed", len(jobs))
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
