package replayview

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// ApartObject returns what JSON has of the jobs whose times cannot be right: how many there are, and what the log gives with
// them. It returns nil if all times can be right.
func ApartObject(a *study.Apart) output.Object {
	if a.Jobs == 0 {
		return nil
	}
	o := output.Pairs("jobs", a.Jobs, "replayed", a.Run)
	if a.EASY != nil {
		o = append(o, output.Pairs("baseline", withApart(a.EASY), "forecast", []output.Object{withApart(a.Malleable)})...)
	}
	return o
}

// withApart returns what JSON has of a run with the jobs whose times cannot be right.
func withApart(run *replay.Run) output.Object {
	o := output.Pairs("policy", run.Policy.String(), measure.MeanResponseTime, run.Measures[measure.MeanResponseTime],
		measure.MeanWaitingTime, run.Measures[measure.MeanWaitingTime])
	if run.Resizes() {
		o = append(o, output.Pairs("malleable_share", run.Share, "ratio_to_easy", estimateObject(run.Ratio()))...)
	}
	return o
}

// WithApart replays the log once more with the jobs whose times cannot be right, if there are any. The result then has
// both. runs are the runs of the study that are shown.
func (r *Replay) WithApart(ctx context.Context, workers int, runs []*replay.Run) error {
	if len(r.Log.Apart) == 0 || len(r.Loads) > 0 {
		return nil
	}
	study := *r.Study
	with, taken, err := study.RunWithApart(ctx, workers)
	if err != nil || taken == 0 {
		return err
	}
	r.apart, r.apartJobs = map[*replay.Run]*replay.Run{}, taken
	for _, run := range runs {
		if other := run.Like(with); other != nil {
			r.apart[run] = other
		}
	}
	return nil
}

// apartObject returns what JSON has of a run with the jobs whose times cannot be right; nil if there is no such run.
func (r *Replay) apartObject(run *replay.Run) any {
	with := r.apart[run]
	if with == nil {
		return nil
	}
	return append(output.Pairs("jobs", r.apartJobs), withApart(with)...)
}

// ApartSentence says how the mean response time of a run would differ with so many jobs whose times cannot be right.
func ApartSentence(jobs int, run, with *replay.Run) string {
	return fmt.Sprintf("With %s whose times cannot be right, the mean response time under %s would be %s in place of %s.",
		words.Count(jobs, "more job"), run.Policy, seconds(with), seconds(run))
}
