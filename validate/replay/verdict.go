package replay

import (
	"slices"

	"github.com/partwise/partwise/validate/metric"
)

// Verdict says whether resizing running jobs pays on a log.
type Verdict string

// The verdicts, as JSON names them.
const (
	Pays     Verdict = "yes"
	PaysNot  Verdict = "no"
	NotClear Verdict = "not_clear"
)

// ResizingPays returns whether resizing pays against EASY. It also returns the run with the smallest share from which
// on resizing pays; nil unless the verdict is [Pays]. The runs are replays of a log at one load, with ascending shares
// of malleable jobs. Runs that resize no jobs, and nil runs, are left out. The list runs is not changed.
//
// Resizing pays from a share on if the intervals of [Run.Ratio] of this share and of all larger shares lie above 1.
// Resizing does not pay if the interval of the largest share lies below 1. Otherwise the verdict is [NotClear], also
// without runs. A ratio with an infinite half width lies neither above nor below 1.
func ResizingPays(runs []*Run) (Verdict, *Run) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool { return run == nil || run.Policy == nil || !run.Resizes() })
	ratios := make([]metric.Interval, len(runs))
	for i, run := range runs {
		ratios[i] = run.Ratio()
	}
	verdict, from := judge(ratios)
	if from < 0 {
		return verdict, nil
	}
	return verdict, runs[from]
}

// judge returns the verdict of [ResizingPays] for ratios to EASY in the order of ascending shares of malleable jobs.
// from is the index, from 0, of the first ratio from which on resizing pays; −1 unless the verdict is [Pays]. Without
// ratios the verdict is [NotClear].
func judge(ratios []metric.Interval) (verdict Verdict, from int) {
	verdict, from = NotClear, -1
	for i, e := range slices.Backward(ratios) {
		if !e.IsKnown() || e.Low <= 1 {
			if e.IsKnown() && e.High < 1 && from < 0 {
				verdict = PaysNot
			}
			break
		}
		verdict, from = Pays, i
	}
	return verdict, from
}

// Verdict returns the verdict of [ResizingPays] on this run alone: whether resizing pays with its share of malleable
// jobs. It is [NotClear] for a nil run, and for a run that resizes no jobs.
func (r *Run) Verdict() Verdict {
	verdict, _ := ResizingPays([]*Run{r})
	return verdict
}

// IsMixed reports whether the verdict on resizing depends on the share of malleable jobs: with one share resizing pays, with
// another share jobs take significantly more time than under EASY. Each share is judged by [Run.Verdict].
func IsMixed(runs []*Run) bool {
	has := func(v Verdict) bool {
		return slices.ContainsFunc(runs, func(run *Run) bool { return run.Verdict() == v })
	}
	return has(Pays) && has(PaysNot)
}
