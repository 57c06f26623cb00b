package replaycmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
)

// replayedNotes are the sentences under the table: what jobs are taken to be, which policy is best of those that assume
// the same, and how far means are known.
func replayedNotes(r *logReplay, runs []*replayResult) []string {
	var notes []string
	for _, run := range runs {
		if note := r.assumes(run); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if len(runs) > 1 && !r.curve() {
		notes = append(notes, r.verdict(runs))
	}
	for _, run := range runs {
		if run.sameP95.nodes > 0 && run.easy != nil {
			notes = append(notes, r.fewerNodes(run))
		}
	}
	if response, _, _ := runs[0].log.Intervals(replayConfidence); r.replications == 1 &&
		output.Finite(response.HalfWidth) {
		widest := 0.0
		for _, run := range runs {
			e, _, _ := run.log.Intervals(replayConfidence)
			widest = max(widest, e.Relative())
		}
		notes = append(notes, fmt.Sprintf("By batch means of 3333 jobs, mean response times of a log that went on like this "+
			"would be known to %s or better (%.0f %%).", output.Percent(widest), 100*replayConfidence))
	}
	return notes
}

// curve reports whether policies run with several shares of malleable jobs, or costs.
func (r *logReplay) curve() bool { return len(r.shares) > 1 || len(r.costs) > 1 }

// fewerNodes says on how many nodes a policy has the 95th percentile of EASY.
func (r *logReplay) fewerNodes(run *replayResult) string {
	note := fmt.Sprintf("%s needs %s of %d nodes for the 95th percentile of the response time, %s s, that EASY has on all "+
		"of them", r.label(run), run.sameP95.words(), r.log.Nodes,
		output.Fixed(run.easy.measures[measure.ResponseTimePercentile(0.95)], 0))
	if run.sameP95.nodes == run.needed {
		note += "; some job cannot do with fewer"
	}
	return note + "."
}

// assumes says what a policy that does not give jobs what they ask for assumes of them; "" for others.
func (r *logReplay) assumes(run *replayResult) string {
	switch {
	case molds(run.policy):
		return fmt.Sprintf("%s molds jobs: Downey's speedup, A the nodes asked for, sigma %s.", run.policy,
			output.Shortest(r.sigma))
	case run.resizes():
		bounds := ""
		if r.mixes(run) {
			bounds = fmt.Sprintf(", between %s and %s times the nodes that they ask for", output.Shortest(r.least),
				output.Shortest(r.most))
		}
		return fmt.Sprintf("%s resizes %s%s: speedup %s.", run.policy, r.resizedWords(run), bounds, r.speedup.name)
	case run.entry.Jobs != workload.Rigid:
		return fmt.Sprintf("%s gives jobs other nodes than they ask for: speedup %s.", run.policy, r.speedup.name)
	}
	return ""
}

// resizedWords says which jobs a policy resizes, where and at what cost.
func (r *logReplay) resizedWords(run *replayResult) string {
	words := "all jobs"
	switch {
	case r.curve():
		return "malleable jobs"
	case run.share < 1:
		words = shareWords(run.share) + " of the jobs"
	}
	points, together := strings.CutSuffix(r.points.Text, ",together")
	switch {
	case r.points.Every > 0:
		words += " every " + points + " of their work"
	case r.points.Number > 0:
		words += " at " + points + " points each"
	}
	if together {
		words += ", waiting for each other,"
	}
	return words + " " + run.cost.Words()
}

// kind says what a run assumes of jobs: only runs that assume the same are compared with each other.
func (r *logReplay) kind(run *replayResult) string {
	switch {
	case run.resizes():
		return "resizing " + r.resizedWords(run)
	case run.entry.Jobs != workload.Rigid:
		return "molding all jobs"
	}
	return "rigid jobs"
}

// verdict names the best policy of each kind, with its ratio to EASY where there are several kinds.
func (r *logReplay) verdict(runs []*replayResult) string {
	of := r.objective.measure()
	var kinds []string
	best := map[string]*replayResult{}
	for _, run := range runs {
		kind := r.kind(run)
		b, ok := best[kind]
		if !ok {
			kinds = append(kinds, kind)
		}
		if !ok || run.measures[of.Name] < b.measures[of.Name] {
			best[kind] = run
		}
	}
	what := map[objective]string{"mean": "Shortest mean response time", "p95": "Shortest 95th percentile of the response time",
		"slowdown": "Least mean bounded slowdown", "node-hours": "Fewest node-hours held"}[r.objective]
	near := func(b *replayResult) string { return nearly(runs, b, of.Name, r.kind) + r.likeEASY(b) }
	if len(kinds) == 1 {
		b := best[kinds[0]]
		return fmt.Sprintf("%s: %s%s.", what, b.policy, near(b))
	}
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		parts[i] = fmt.Sprintf("%s: %s (%s)", kind, best[kind].policy, output.Fixed(best[kind].measures[of.Name], 0)) +
			near(best[kind])
	}
	return what + " under each assumption: " + strings.Join(parts, "; ") + "."
}

// likeEASY says so if the interval of the ratio of EASY to a policy holds 1, where means are what is compared.
func (r *logReplay) likeEASY(run *replayResult) string {
	e := r.ratio(run)
	if r.objective != "mean" || !output.Finite(e.HalfWidth) || !(e.HalfWidth > 0 && e.Low <= 1 && e.High >= 1) {
		return ""
	}
	return ", which does not differ significantly from easy"
}

// nearly names the policies of the same kind, at the same load, that make no practical difference to the best.
func nearly(runs []*replayResult, best *replayResult, measure string, kind func(*replayResult) string) string {
	var names []string
	for _, run := range runs {
		ratio := run.measures[measure] / best.measures[measure]
		if run != best && run.policy != best.policy && run.load == best.load && kind(run) == kind(best) && decide.Negligible(ratio) {
			names = append(names, run.policy.String())
		}
	}
	if names == nil {
		return ""
	}
	return ", without a practical difference from " + strings.Join(names, ", ")
}
