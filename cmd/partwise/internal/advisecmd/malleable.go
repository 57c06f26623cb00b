package advisecmd

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// checkMalleable checks what is asked for with malleable jobs beside rigid jobs, and without.
func (o *options) checkMalleable(inv *cli.Invocation) error {
	if !inv.Given("malleable") {
		if flag := inv.FirstGiven("min-factor", "max-factor", "start-window"); flag != "" {
			return fault.Usagef("add --malleable SHARE, such as --malleable 20%", "--%s is about malleable jobs beside rigid jobs", flag)
		}
		return nil
	}
	if len(o.shares) != 1 || o.shares[0] == 0 {
		return fault.Usagef("for example --malleable 20%", "--malleable: the settings are those of one share of malleable jobs above 0")
	}
	if flag := inv.FirstGiven("over", "objective", "probability", "indifference", "jobs", "bound", "plot"); flag != "" {
		return fault.Usagef("leave one of them out", "--%s is about rules that resize all jobs, not about --malleable", flag)
	}
	return nil
}

// checkGPUs refuses files for nodes without GPUs if the sizes of the jobs are numbers of GPUs.
func (o *options) checkGPUs(log *input.Selection) error {
	if o.gpus == 0 && log.SizesIn() == joblog.InGPUs {
		return fault.Usagef("for example --gpus-per-node 4",
			"--gpus-per-node 0: the sizes of the jobs of %s are numbers of GPUs", log.Name)
	}
	return nil
}

// adviseMalleable says what a share of malleable jobs gains under EASY backfilling, and writes the settings and the controller
// for it.
func (o *options) adviseMalleable(inv *cli.Invocation) error {
	log, err := o.SelectPools(inv, inv.Args[0], o.pool, &o.Assuming)
	if err != nil {
		return err
	}
	if err := o.checkGPUs(log); err != nil {
		return err
	}
	if log, err = log.AtLoad(o.load); err != nil {
		return err
	}
	o.Points = o.points.Points
	s := &replay.Study{
		Log: log.Log, Unit: o.Unit, Table: inv.Table, Policies: []policy.Policy{policy.EASYMalleable{}}, Shares: o.shares,
		Assumptions: o.Assumptions, Seed: o.seed, Present: inv.MostKept(replay.BytesPresent),
	}
	runs, err := s.Run(inv.Context, inv.Workers)
	if err != nil {
		return input.Misfit(err)
	}
	ways, limits := advise.MalleableWays()
	carried, err := s.CarriedOut(inv.Context, inv.Workers, runs[0], limits)
	if err != nil {
		return input.Misfit(err)
	}
	growing, shrinking, err := s.OneWay(inv.Context, inv.Workers, runs[0])
	if err != nil {
		return input.Misfit(err)
	}
	v := &logview.Malleable{Run: runs[0], Node: output.UnitWord(log.SizesIn()), Ways: ways, Carried: carried, Growing: growing,
		Shrinking: shrinking, Assumed: o.Assumed(inv, runs[0].Setting), Seconds: time.Since(o.began).Seconds()}
	if v.Replay, err = reproduction(inv, log, runs[0].Baseline); err != nil {
		return err
	}
	v.Title, v.Heading = log.Heading(runs[0].Jobs, max(1, o.Unit), log.Load())
	if err := inv.Emit(v.Result()); err != nil {
		return err
	}
	log.WarnSkipped()
	if !inv.Given("gpus-per-node") && log.SizesIn() != joblog.InGPUs {
		o.gpus = 0 // the log does not give GPUs
	}
	jobs := advise.MalleableJobs{Share: o.shares[0], Least: o.Least, Most: o.Most, StartWindow: o.StartWindow.Rule().String()}
	settings, err := advise.SettingsOfLog(log.Log, jobs, max(1, o.Unit), o.gpus)
	if err != nil {
		return err
	}
	return o.writeSystems(inv, settings...)
}

// reproduction returns the sentence that the replay under EASY does not reproduce the log. It returns "" if the replay reproduces
// the log, if times are stretched, or if the log does not fit into memory. It warns of what the use of nodes calls into question.
// The error comes from reading the jobs.
func reproduction(inv *cli.Invocation, log *input.Selection, easy *replay.Run) (string, error) {
	offered, err := log.At(0)
	if err != nil {
		return "", err
	}
	described, err := study.Describe(inv.Context, offered)
	if errors.Is(err, joblog.ErrTooMany) {
		return "", nil
	}
	if err != nil {
		return "", input.WithRemedy(err)
	}
	for _, text := range logview.New(log.Log, &log.Source, described).Warnings(log.Assumed != nil) {
		inv.Warnf("%s: %s", log.Name, text)
	}
	gains := replayview.Gains{Gains: &study.Gains{EASY: easy}, Logged: described.Logged, Unit: log.SizesIn()}
	return gains.Unreproduced(), nil
}

// named returns the file of a partition, such as slurm-batch.sh, where each partition has a file of its own.
func named(f advise.SystemFile, partition string) advise.SystemFile {
	name, ending, _ := strings.Cut(f.Name, ".")
	f.Name = name + "-" + url.PathEscape(partition) + "." + ending
	return f
}
