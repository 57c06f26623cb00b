package study

import (
	"context"
	"errors"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// Apart says what changes if the jobs run, too, whose times cannot be right. They are left out of the rest of the
// answer.
type Apart struct {
	Jobs int // that were set apart
	Run  int // jobs among these that can be run: their submission, run time and size are known
	// EASY and Malleable are the log with these jobs: under EASY, and with the share of malleable jobs of
	// [Gains.Decisive]. They are nil if no such job can be run.
	EASY, Malleable *replay.Run
	Missing         error // why the runs are missing although jobs can be run; nil: they are not
}

// replayApart makes the step [ReplayingApart]. The rest of the answer leaves out jobs whose times cannot be right. This
// step replays the log with them, to show how much depends on them. It sets w.Apart: the number of these jobs, how many
// of them can be run, and the runs under EASY and with malleable jobs. The share of malleable jobs is the share of
// [Gains.Decisive].
//
// If Gains.Impossible is set, only the number is set. If a policy cannot run the jobs or a setting does not fit them,
// Apart.Missing says why. The study then goes on, unless ctx has ended: then this failure is returned. Other errors are
// returned, such as an error of reading the log.
func (w *work) replayApart(ctx context.Context) error {
	w.Apart.Jobs = len(w.log.Apart)
	if w.Gains.Impossible != nil {
		return nil
	}
	study := w.replays
	study.Policies, study.Shares = []policy.Policy{policy.EASYMalleable{}}, []float64{w.Gains.Decisive().Share}
	runs, taken, err := study.RunWithApart(ctx, w.Workers)
	if w.Apart.Run = taken; taken > 0 && err == nil {
		w.Apart.Malleable, w.Apart.EASY = runs[0], runs[1]
	}
	if errors.As(err, new(*replay.RunError)) || errors.As(err, new(*replay.SettingError)) {
		w.Apart.Missing, err = reasonOrError(ctx, err)
	}
	return err
}
