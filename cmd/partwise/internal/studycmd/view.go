package studycmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/adviceview"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// view lays out the answer of a study, as a page and as a result.
type view struct {
	*study.Answer
	log      *input.Selection
	name     string // of the log, as the user wrote it
	page     string // the file, and those of the model and of the jobs; "": not written
	model    string
	jobs     string
	assumed  []output.Assumption
	gains    replayview.Gains
	machines replayview.Machines
	logged   *logview.Log
	advice   *adviceview.Advice // nil: there is none
	rivals   *replayview.Replay
	replays  *output.Result // of the rivals; nil: there are none
}

// newView returns the view of an answer.
func newView(inv *cli.Invocation, o *options, log *input.Selection, a *study.Answer, f *foresight) *view {
	v := &view{Answer: a, log: log, name: inv.Args[0], assumed: append(slices.Clip(log.Assumed), o.assumed(inv)...), gains: replayview.Gains{Gains: &a.Gains, Breakevens: a.Breakevens, Logged: a.Log.Logged, Unit: a.Machine().Unit},
		machines: a.Machines, logged: logview.New(log.Log, &log.Source, &a.Log)}
	v.rivals = &replayview.Replay{Study: &replay.Study{Log: log.Log, Unit: a.Rivals.Unit, Assumptions: a.Assumptions, Replications: 1},
		Estimates: workload.Logged{}.Name(), Objective: advise.Mean}
	if a.Rivals.Missing == nil {
		var settings []replay.Setting
		for _, run := range a.Rivals.Runs {
			settings = append(settings, run.Setting)
		}
		v.replays = v.rivals.Result(a.Rivals.Runs, o.Assumed(inv, settings...))
	}
	if a.Advice.Missing == nil {
		m := a.Advice.Problem.Machine
		title, heading := log.Heading(a.Log.Jobs.Len(), m.Unit, log.Load())
		v.advice = &adviceview.Advice{Advice: a.Advice.Advice, Problem: &a.Advice.Problem, Title: title, Heading: heading,
			Assumed: o.Assumed(inv, replay.Setting{Policy: policy.Dynamic{}}), Unit: measure.Second(), Objective: advise.Mean,
			Probability: advise.DefaultProbability, Indifference: advise.DefaultIndifference, Ways: adviceview.Ways(a.Advice.Advice, m, 1), Seconds: f.took(study.Advising)}
	}
	return v
}

// title is the name of the log.
func (v *view) title() string {
	if v.name == "-" {
		return "standard input"
	}
	return strings.TrimSuffix(filepath.Base(v.name), ".gz")
}

// tooFew stands where a log has too few jobs to say more.
const tooFew = "The log has too few jobs to tell."

// trend says what break-evens are.
const trend = "Replays go up and down by chance from one time of a resize to the next, and these limits are their trend: a single replay may " +
	"say otherwise."

// breakevens say up to which time of a resize resizing pays.
func (v *view) breakevens() (all []string) {
	if v.Gains.TooFew() {
		return []string{tooFew}
	}
	for _, b := range v.Breakevens {
		all = append(all, replayview.Breakeven(b))
	}
	if all != nil {
		all = append(all, trend)
	}
	return all
}

// rules say by which rules to resize.
func (v *view) rules() []string {
	if v.Gains.TooFew() {
		return []string{tooFew}
	}
	all := []string{"If some jobs are malleable: keep EASY. Shrink malleable jobs to make room for jobs that wait. Let malleable jobs grow onto idle nodes."}
	if v.advice == nil {
		return append(all, "No rule was found for the case that all jobs can be resized to any number of nodes: "+v.noAdvice()+".")
	}
	return append(all, v.advice.Notes("If all jobs can be resized to any number of nodes:")...)
}

// noAdvice says why there is no rule.
func (v *view) noAdvice() string {
	fits := input.Misfit(v.Advice.Missing)
	if v.Advice.Problem.Jobs == 0 && fits == v.Advice.Missing { // the jobs are no problem that a rule could solve
		fits = &workload.DataError{File: v.log.Name, Problem: fault.Plain(fits)}
	}
	return fault.Plain(fits)
}

// others say which policies are best under other assumptions.
func (v *view) others() []string {
	switch {
	case v.Gains.TooFew():
		return []string{tooFew}
	case v.Rivals.Missing != nil:
		return []string{"Other policies could not be replayed: " + fault.Plain(input.Misfit(v.Rivals.Missing)) + "."}
	case len(v.Rivals.Runs) < 2:
		return nil
	}
	return []string{v.rivals.BestPolicies(v.Rivals.Runs)}
}

// answer is what the study found out, in sentences.
func (v *view) answer() []string {
	all := v.gains.Sentences()
	at := 0 // behind the sentence that the waits are not reproduced
	if v.gains.Unreproduced() != "" {
		at = 1
	}
	all = slices.Insert(all, at, v.machines.Sentences()...)
	if !v.Gains.TooFew() {
		all = append(all, v.breakevens()...)
		if text := replayview.Flips(v.Variations); text != "" {
			all = append(all, text)
		}
		rules := v.rules()
		all = append(append(all, rules[:min(2, len(rules))]...), v.others()...)
	}
	part := v.chainPart()
	return append(append(all, part.Lead...), part.Bullets...)
}
