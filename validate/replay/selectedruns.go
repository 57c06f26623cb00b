package replay

import (
	"slices"

	"github.com/partwise/partwise/models/policy"
)

// Asked returns the runs that a user named, of all runs of a study. Their policies are in s.Named, and they have the
// order of runs. If s.Best is set, they include the best static policy at each load and number of nodes. It has the
// least value of the named measure, such as [measure.MeanResponseTime]. EASY, which every study runs, is left out
// unless s names it. The result is nil if s is nil, and has no nil entry. The list runs stays as it is.
func Asked(runs []*Run, s *policy.Selection, measure string) []*Run {
	if s == nil {
		return nil
	}
	type place struct {
		load  float64
		nodes int
	}
	var best []*Run
	if s.Best {
		best = Best(slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
			if run == nil {
				return true
			}
			_, static := run.Policy.(policy.Static)
			return !static
		}), measure, func(run *Run) place { return place{run.Load, run.Nodes} })
	}
	return slices.DeleteFunc(slices.Clone(runs), func(run *Run) bool {
		return run == nil || !slices.Contains(best, run) && !slices.Contains(s.Named, run.Policy)
	})
}

// Best returns, for each kind of runs, the run with the least value of the named measure, such as
// [measure.MeanResponseTime]; the first among equals. The function kind returns the kind of a run, such as its load. The
// result is in the order in which the kinds first appear in runs. Nil entries of runs are left out.
func Best[K comparable](runs []*Run, measure string, kind func(*Run) K) []*Run {
	at := map[K]int{}
	var best []*Run
	for _, run := range runs {
		if run == nil {
			continue
		}
		switch i, found := at[kind(run)]; {
		case !found:
			at[kind(run)] = len(best)
			best = append(best, run)
		case run.Measures[measure] < best[i].Measures[measure]:
			best[i] = run
		}
	}
	return best
}
