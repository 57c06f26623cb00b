package studycmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// view lays out the answer of a study, as a page and as a result.
type view struct {
	*study.Answer
	log      *input.Selection
	warnings []string // of the terminal, as sentences
	next     *nextCommands
	name     string // of the log, as the user wrote it
	page     string // file of the page; model and jobs are files, too; "": not written
	model    string
	jobs     string
	assumed  []output.Assumption
	gains    replayview.Gains
	machines replayview.Machines
	logged   *logview.Log
	advice   *logview.Advice // nil: no rule was found
	rivals   *replayview.Replay
	replays  *output.Result // of the rivals; nil if there are no rivals
}

// newView returns the view of an answer.
func newView(inv *cli.Invocation, o *options, log *input.Selection, a *study.Answer, f *foresight) *view {
	v := &view{Answer: a, log: log, name: inv.Args[0], assumed: append(slices.Clip(log.Assumed), o.assumed(inv)...),
		gains:    replayview.Gains{Gains: &a.Gains, Breakevens: a.Breakevens, Logged: a.Log.Logged, Unit: a.Machine().Unit},
		machines: replayview.Machines{Machines: a.Machines}, logged: logview.New(log.Log, &log.Source, &a.Log)}
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
		if a.Pool != nil {
			title = fmt.Sprintf("%s, partition %s: %s on %s", log.Name, a.Pool.Name, words.Count(a.Pool.Jobs, "job"),
				words.Count(m.Nodes, v.unit()))
			heading = output.Pairs("version", output.Version, "log", log.Name, "pool", a.Pool.Name, "jobs", a.Pool.Jobs,
				output.TimeUnit, "s", "machine", output.Pairs("nodes", m.Nodes, "min_nodes", m.Unit))
		}
		v.advice = &logview.Advice{Advice: a.Advice.Advice, Problem: &a.Advice.Problem, Title: title, Heading: heading,
			Assumed: o.Assumed(inv, replay.Setting{Policy: policy.Dynamic{}}), Unit: measure.Second(), Node: v.unit(),
			Objective: advise.Mean, Probability: advise.DefaultProbability, Indifference: advise.DefaultIndifference,
			Ways: advise.Ways(a.Advice.Rule, 1, a.Advice.Split(m)), Seconds: f.took(study.Advising)}
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

// allMalleable says by which rule to resize if all jobs can be resized to any number of nodes.
func (v *view) allMalleable() []string {
	if v.advice == nil {
		return []string{"No rule was found: " + v.noAdvice() + "."}
	}
	whose := ""
	if v.Pool != nil {
		whose = " of partition " + v.Pool.Name + ", whose jobs wait longest,"
	}
	return v.advice.Notes("If all jobs" + whose + " can be resized to any number of " + v.unit() + "s:")
}

// noAdvice says why there is no rule.
func (v *view) noAdvice() string {
	fits := input.Misfit(v.Advice.Missing)
	// the jobs are no problem that a rule could solve
	if v.Advice.Problem.Jobs == 0 && fits == v.Advice.Missing && fits != study.ErrOneNode {
		fits = &workload.DataError{File: v.log.Name, Problem: fault.Plain(fits)}
	}
	return fault.Plain(fits)
}

// others say which policies are best under other assumptions. They say nothing of machines of one node, where no policy differs
// by a resize or a split.
func (v *view) others() []string {
	switch {
	case v.Rivals.Missing != nil:
		return []string{"Other policies could not be replayed: " + fault.Plain(input.Misfit(v.Rivals.Missing)) + "."}
	case len(v.Rivals.Runs) < 2, v.gains.NoneResizable() != "":
		return nil
	}
	all := []string{v.rivals.BestPolicies(v.Rivals.Runs)}
	if errors.As(v.Chain.Missing, new(*study.UnstableError)) { // the times of dynamic partitioning are those of a queue that grows
		all = append(all, words.Sentence(v.noChain()), v.unitRemedy())
	}
	return all
}

// shortAnswer is what the study found out of the policy that was measured, in sentences in the order of the page.
func (v *view) shortAnswer() []string {
	all := slices.Concat(v.replaySentences(), v.machines.Sentences(), v.withImpossible(), v.gains.VerdictSentences(),
		words.NonEmpty(v.machines.OtherUnit(v.gains.Decisive())))
	if !v.Gains.TooFew() {
		all = append(all, v.breakevens()...)
		all = append(all, words.NonEmpty(replayview.Flips(v.Variations))...)
		all = append(all, v.gains.Losers(logstats.BySize, logstats.By(joblog.Partition), logstats.By(joblog.User))...)
		all = append(all, words.NonEmpty(v.unitWarning())...)
	}
	return append(all, sentencesOf(v.toDo())...)
}

// answer is the short answer with what was compared besides: other policies, a rule for the case that all jobs can be resized,
// and the chain.
func (v *view) answer() []string {
	all := words.Texts(v.shortAnswer(), strings.TrimSpace)
	if v.Gains.TooFew() {
		return all
	}
	all = append(append(all, v.others()...), v.allMalleable()[0])
	part := v.chainPart()
	return append(append(all, part.Lead...), part.Bullets...)
}

// summary returns the sentences of the summary: how jobs waited and why, the verdict, how certain it is, what would change it,
// and what to do next.
func (v *view) summary() []string {
	return words.NonEmpty(v.waitsSummary(), v.gains.VerdictSentence(), v.gains.CertaintySentence(),
		replayview.FlipSummary(v.Variations), v.machines.OtherUnitSummary(v.gains.Decisive()), v.toDo()[0].summary())
}

// waitsSummary says in a sentence how jobs waited in the log and in the replay, and why.
func (v *view) waitsSummary() string {
	if v.Log.Logged == nil || v.gains.EASY == nil || v.gains.EASY.Waits == nil {
		return v.logged.NoWaitsSentence()
	}
	w := &v.Log.Logged.Waiting
	text := fmt.Sprintf("Jobs waited %s (replay %s)", words.Seconds(w.Mean), words.Seconds(v.gains.EASY.Waits.Mean))
	pool, share := v.Log.Logged.Busiest()
	switch unit := output.UnitWord(v.gains.Unit); {
	case w.Mean == 0 || v.Log.Seen == study.SeenNone:
	case pool != nil && v.Log.Logged.PoolsMakeWait():
		text += fmt.Sprintf(", %s of it in partition %s (%s)", words.Percent(share), pool.Name, words.Count(pool.Nodes, unit))
	case v.Log.Seen == study.SeenPartitions:
		text += fmt.Sprintf(", %s of it for %ss of their partition", words.Percent(v.Log.Logged.WithinPools().NoNodes/w.Mean), unit)
	default:
		text += fmt.Sprintf("; too few %ss were free for %s of it", unit, words.Percent(w.NoNodes/w.Mean))
	}
	return text + "."
}
