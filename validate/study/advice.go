package study

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Advice is the best rule by which to resize all jobs of the log, or of the Pool of the answer.
type Advice struct {
	*advise.Advice
	Problem advise.Problem // the problem that the rule solves, without its Config
	Missing error          // why no rule was found; nil if a rule was found
}

// selecting is the share of the time of advice on a log that the selection takes; the comparison with other policies
// takes the rest.
const selecting = 0.8

// screeningShare is the same share where the selection has the weeks of a sample.
const screeningShare = 0.4

// problemOf returns the problem of a rule for the jobs of a log. The error comes from reading the log or from
// [advise.OfLog].
func (w *work) problemOf(log *replay.Log) (advise.Problem, error) {
	jobs, err := w.jobsOf(log)
	if err != nil {
		return advise.Problem{}, err
	}
	return advise.OfLog(policy.Machine{Nodes: log.Nodes, Unit: w.Answer.Unit}, jobs, w.Assumptions)
}

// advise makes the step [Advising]: it searches the best rule by which to resize all jobs of w.oneMachine, and sets
// w.Advice. These are the jobs of the log. Where each partition is a machine of its own, they are the jobs of one
// partition. Of a long log, the rule is selected in the weeks of its sample, and compared on all jobs. If no rule can be
// found, such as for a log of too few jobs, Advice.Missing says why, and the study goes on. The failure is returned as an
// error only if ctx has ended.
func (w *work) advise(ctx context.Context) (err error) {
	w.Advice.Missing, err = reasonOrError(ctx, w.findRule(ctx))
	return err
}

// findRule sets two fields of w.Advice. Problem is the machine, the jobs and the assumptions for which rules are tried.
// Advice is the best rule that [advise.Problem.Advise] tries. The rules differ in the parameters of
// [advise.UsualNames], such as the cooldown. The observer hears which fraction of the search is done.
//
// The error is [ErrStartWindow] if the assumptions have a start window, [ErrPools] if no partition was chosen, and
// [ErrOneNode] if the machine has one node. It may also come from reading the log, from [advise.OfLog] or from Advise. If
// Advise fails, Problem stays set: a reader then knows that the jobs themselves could be used.
func (w *work) findRule(ctx context.Context) error {
	if w.Assumptions.StartWindow != nil {
		return ErrStartWindow
	}
	if w.oneMachine.Pools != nil { // no pool was chosen: the log cannot be replayed
		return ErrPools
	}
	if w.oneMachine.Nodes == 1 {
		return ErrOneNode
	}
	q, err := w.problemOf(w.oneMachine)
	if err != nil {
		return err
	}
	var screening *advise.Problem
	if w.Sample != nil {
		inWeeks, err := w.problemOf(w.weeksOfOne)
		if err != nil {
			return err
		}
		screening = &inWeeks
	}
	w.Advice.Problem = q
	selected, share := cmp.Or(screening, &q), selecting
	if screening != nil {
		share = screeningShare
	}
	var over []advise.Parameter
	for _, name := range advise.UsualNames() {
		over = append(over, q.Usual(name))
	}
	w.Advice.Advice, err = q.Advise(ctx, over, advise.Options{Seed: seed, Workers: w.Workers, Memory: w.Memory.Limit(),
		Screening: screening, Carried: w.Carried, Progress: func(_, all int, jobs int64) {
			w.Observer.advanced(Advising, share*float64(jobs)/float64(all*selected.Jobs))
		}})
	w.Advice.Problem.Config = nil // and with it copies of the jobs, a few hundred bytes for each job of the log
	return err
}
