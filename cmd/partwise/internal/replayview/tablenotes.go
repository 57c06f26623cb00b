package replayview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// notes returns the sentences under the table: what is assumed of jobs, the best policy for each assumption, and how
// well means are known.
func (r *Replay) notes(runs []*replay.Run) []string {
	var notes []string
	for _, run := range runs {
		if note := r.assumes(run); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if len(runs) > 1 && !r.curve() {
		notes = append(notes, r.BestPolicies(runs))
	}
	for _, run := range runs {
		if with := r.apart[run]; with != nil {
			notes = append(notes, ApartSentence(r.apartJobs, run, with))
		}
	}
	notes = append(notes, words.NonEmpty(idleSentence(r.Log, runs))...)
	widest := 1.0
	for _, run := range runs {
		if run.SameP95.Nodes > 0 && run.Baseline != nil {
			notes = append(notes, r.fewerNodes(run))
		}
		if _, e := run.Forecasts(); words.Finite(e.ForecastHigh) {
			widest = max(widest, e.ForecastHigh/e.Mean)
		}
	}
	if widest > 1 {
		notes = append(notes, fmt.Sprintf("In another stretch of this length with the same load, "+
			"mean response times could be from 1/%[1]s to %[1]s times as long (%[2]s).", words.Round(widest, 2), forecastWords))
	}
	return notes
}

// A machine is idle below a load of idleLoad if jobs wait less than idleWait seconds on average.
const (
	idleLoad = 0.1
	idleWait = 1
)

// idleSentence says that a gain is growth onto idle nodes, where the load is low and no job waits under EASY; "" otherwise, or if
// no policy resizes jobs.
func idleSentence(log *replay.Log, runs []*replay.Run) string {
	for _, run := range runs {
		if run.Resizes() && run.Baseline != nil && log.Load() < idleLoad && run.Baseline.Measures[measure.MeanWaitingTime] < idleWait {
			return fmt.Sprintf("Nothing waits in this replay (load %s): the gain is growth onto idle %ss. Is --nodes right?",
				words.Load(log.Load()), output.UnitWord(log.SizesIn()))
		}
	}
	return ""
}

// curve reports whether policies run with several shares of malleable jobs or costs, or on several numbers of nodes.
func (r *Replay) curve() bool { return len(r.Shares) > 1 || len(r.Costs) > 1 || len(r.Study.Nodes) > 1 }

// fewerNodes says on how many nodes a policy has the 95th percentile of EASY.
func (r *Replay) fewerNodes(run *replay.Run) string {
	note := fmt.Sprintf("%s needs %s of %s for the 95th percentile of the response time that EASY has on all %ss, %s",
		r.label(run), nodesWords(run.SameP95), words.Count(r.Log.Nodes, r.unit()), r.unit(), words.Seconds(run.Baseline.Measures[p95]))
	if run.SameP95.Nodes == run.SameP95.Needed {
		note += "; some job needs as many"
	}
	return note + "."
}

// assumes says what a policy assumes of jobs; "" for a policy that gives jobs the nodes that they ask for.
func (r *Replay) assumes(run *replay.Run) string {
	speedup := workload.SpeedupText(r.Speedup)
	switch {
	case run.Molds():
		return fmt.Sprintf("%s molds jobs: Downey's speedup, A the %ss asked for, sigma %s.",
			run.Policy, r.unit(), words.Shortest(r.Sigma))
	case run.Resizes():
		bounds := ""
		if run.Bounded() {
			bounds = fmt.Sprintf(", between %s and %s times the %ss that they ask for", words.Shortest(r.Least),
				words.Shortest(r.Most), r.unit())
		}
		return fmt.Sprintf("%s resizes %s%s: speedup %s.", run.Policy, r.resized(run), bounds, speedup)
	case run.Kind() != workload.Rigid:
		return fmt.Sprintf("%s gives jobs other %ss than they ask for: speedup %s.", run.Policy, r.unit(), speedup)
	}
	return ""
}

// resized says which jobs a policy resizes, where and at what cost.
func (r *Replay) resized(run *replay.Run) string {
	text := "all jobs"
	switch {
	case r.curve():
		return "malleable jobs"
	case run.Share < 1:
		text = words.Tenths(run.Share) + " of the jobs"
	}
	return text + r.where() + " " + input.CostWords(&run.Cost)
}

// where says at which scheduling points jobs are resized; "" for any time.
func (r *Replay) where() string {
	text := ""
	points, together := strings.CutSuffix(r.ResizeAt, ",together")
	switch {
	case r.Points.Every != nil:
		text = " every " + words.TimeWords(points) + " of their work"
	case r.Points.Number > 0:
		text = " at " + points + " points each"
	}
	if together {
		text += ", waiting for each other,"
	}
	return text
}

// inUnits says in units of how many nodes jobs get them, if not of one.
func (r *Replay) inUnits() string {
	if r.Unit <= 1 {
		return ""
	}
	return fmt.Sprintf(" in units of %d", r.Unit)
}

// kind says what a run assumes of jobs. Only runs with the same assumptions are compared with each other.
func (r *Replay) kind(run *replay.Run) string {
	switch {
	case run.Resizes() && run.Share < 1:
		return fmt.Sprintf("%s of the jobs can be resized%s, %s", words.Tenths(run.Share), r.where(), input.CostWords(&run.Cost))
	case run.Resizes():
		return fmt.Sprintf("every job can be resized%s%s, %s", r.inUnits(), r.where(), input.CostWords(&run.Cost))
	case run.Kind() != workload.Rigid:
		return "every job can start on any number of " + r.unit() + "s" + r.inUnits()
	}
	return "jobs are rigid"
}

// BestPolicies names the best policy of each kind, with its value.
func (r *Replay) BestPolicies(runs []*replay.Run) string {
	of := r.Objective.Measure()
	var sentences []string
	for _, best := range replay.Best(runs, of.Name, r.kind) {
		clause := fmt.Sprintf("if %s: %s, %s%s", r.kind(best), best.Policy, valueWords(of, best.Measures[of.Name]), r.near(runs, best))
		if sentences == nil {
			clause = "best policy" + byWords[r.Objective] + " " + clause
		}
		sentences = append(sentences, words.Sentence(clause))
	}
	return strings.Join(sentences, " ")
}

// valueWords writes the value of a measure with its unit; times are in seconds.
func valueWords(of measure.Measure, v float64) string {
	if of.Unit == measure.Time {
		return words.Seconds(v)
	}
	return strings.TrimSpace(words.Round(v, 4) + " " + of.Unit.In("s"))
}

// byWords say by what a policy is the best.
var byWords = map[advise.Objective]string{advise.Mean: "", advise.P95: " by the 95th percentile of the response time",
	advise.Slowdown: " by the mean bounded slowdown", advise.NodeHours: " by the node-hours held"}

// near names the policies of the same kind, at the same load, without a practical difference from the best policy. If means
// are compared, it also says whether the best policy differs significantly from EASY.
func (r *Replay) near(runs []*replay.Run, best *replay.Run) string {
	of, words := r.Objective.Measure().Name, ""
	var names []string
	for _, run := range runs {
		ratio := run.Measures[of] / best.Measures[of]
		if run != best && run.Policy != best.Policy && run.Load == best.Load && r.kind(run) == r.kind(best) && decide.Negligible(ratio) {
			names = append(names, run.Policy.String())
		}
	}
	if names != nil {
		words = ", without a practical difference from " + strings.Join(names, ", ")
	}
	e := best.Ratio()
	if r.Objective == advise.Mean && e.IsKnown() && e.HalfWidth > 0 && e.Low <= 1 && e.High >= 1 {
		words += ", which cannot be told apart from easy"
	}
	return words
}
