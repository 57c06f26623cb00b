package study

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// OnNodes says what more nodes would bring.
type OnNodes struct {
	// Runs are, for each number of nodes of [Settings.MoreNodes], the log under EASY, and with the share of malleable
	// jobs of [Gains.Decisive]. See [replay.Run.RatioToFirst]. There are none if the settings have fewer than two
	// numbers.
	Runs    []*replay.Run
	Missing error // why there are no runs although numbers were given; nil: there are
}

// ErrCPUs is why a part of a study is missing: the part is about numbers of nodes, but the machine that was chosen
// counts CPUs.
var ErrCPUs = errors.New("study: the machine of the log counts CPUs, not nodes")

// replayOnNodes makes the step [ReplayingNodes], which shows what more nodes would bring. It replays the log on each
// number of Settings.MoreNodes, under EASY and with the share of malleable jobs of [Gains.Decisive]. It sets
// OnNodes.Runs: two runs for each number in turn, EASY first. The observer is told how many replays it makes.
//
// Nothing happens with fewer than two numbers, or if Gains.Impossible is set. OnNodes.Missing says why there are no
// runs: [ErrPools], [ErrCPUs], a policy that cannot run the jobs, or a number of nodes that does not fit. The study
// then goes on, unless ctx has ended: then this failure is returned. Other errors are returned, too, such as an error
// of reading the log.
func (w *work) replayOnNodes(ctx context.Context) (err error) {
	if len(w.MoreNodes) < 2 || w.Gains.Impossible != nil {
		return nil
	}
	switch {
	case w.log.Pools != nil:
		w.OnNodes.Missing = ErrPools
		return nil
	case w.log.SizesIn() == joblog.InCPUs:
		w.OnNodes.Missing = ErrCPUs
		return nil
	}
	study := w.replays
	study.Sample = nil // the weeks stand for the log on its own nodes
	study.Nodes, study.Policies, study.Shares = w.MoreNodes, []policy.Policy{policy.EASY{}, policy.EASYMalleable{}},
		[]float64{w.Gains.Decisive().Share}
	w.Observer.planned(ReplayingNodes, len(study.Runs()))
	w.OnNodes.Runs, err = study.Run(ctx, w.Workers)
	if errors.As(err, new(*replay.RunError)) || errors.As(err, new(*replay.SettingError)) {
		w.OnNodes.Missing, err = reasonOrError(ctx, err)
	}
	return err
}
