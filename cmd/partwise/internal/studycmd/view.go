package studycmd

import (
	"fmt"
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
	schedule string   // the command that replays the log on the machine of the study, without its policies
	settings string   // the command that writes settings for this machine, without the share of malleable jobs
	name     string   // of the log, as the user wrote it
	page     string   // the file, and those of the model and of the jobs; "": not written
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
		if a.Pool != nil {
			title = fmt.Sprintf("%s, partition %s: %s on %s", log.Name, a.Pool.Name, words.Count(a.Pool.Jobs, "job"), words.Count(m.Nodes, "node"))
			heading = output.Pairs("version", output.Version, "log", log.Name, "pool", a.Pool.Name, "jobs", a.Pool.Jobs, output.TimeUnit, "s",
				"machine", output.Pairs("nodes", m.Nodes, "min_nodes", m.Unit))
		}
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

// toDo says what to do with the policy that was measured: EASY with a share of the jobs malleable.
func (v *view) toDo() []string {
	if v.Gains.Impossible != nil {
		return []string{"Nothing can be said of resizing before the log can be replayed."}
	}
	answer, from := v.gains.Verdict()
	switch {
	case v.Gains.TooFew():
		return []string{"Study a longer log. Change nothing on the strength of this one."}
	case answer == replay.PaysNot:
		return []string{"Keep EASY backfilling, and do not resize running jobs."}
	case answer == replay.NotClear:
		return append([]string{"Do not resize running jobs for the sake of this log: it shows no gain that is more than chance."}, v.firstFind()...)
	}
	share := output.Tenths(from.Share)
	all := []string{fmt.Sprintf("Let EASY backfilling start all jobs, and make %s of them malleable: shrink them when the first job of the queue lacks "+
		"nodes, and let them grow onto nodes that no job can use.", share)}
	all = append(all, v.firstFind()...)
	if text := v.gains.CostToHold(); text != "" {
		all = append(all, text)
	}
	return append(all, fmt.Sprintf("Bounds of a malleable job: at least %s and at most %s times the nodes that it asks for.",
		output.Shortest(v.Assumptions.Least), output.Shortest(v.Assumptions.Most)),
		"A controller that resizes the jobs, and settings for Slurm: "+v.settings+" --malleable "+strings.ReplaceAll(share, " ", "")+
			" --controller rules --systems rules",
		"The schedule that was measured, job by job: "+v.schedule+" --policy easy-malleable --malleable "+
			strings.ReplaceAll(share, " ", "")+" --jobs-output schedule.csv")
}

// firstFind says what to find out first where the replay does not reproduce the log.
func (v *view) firstFind() []string {
	if v.gains.Unreproduced() == "" {
		return nil
	}
	return []string{"Find out first why jobs wait in the log but not in the replay, or the other way round: partitions (--pool partition), " +
		"shared nodes (--unit-of-allocation cpus), the number of nodes (--nodes), limits, priorities or reservations."}
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
	return v.advice.Notes("If all jobs" + whose + " can be resized to any number of nodes:")
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
	case v.Rivals.Missing != nil:
		return []string{"Other policies could not be replayed: " + fault.Plain(input.Misfit(v.Rivals.Missing)) + "."}
	case len(v.Rivals.Runs) < 2:
		return nil
	}
	return []string{v.rivals.BestPolicies(v.Rivals.Runs)}
}

// shortAnswer is what the study found out of the policy that was measured, in sentences in the order of the page.
func (v *view) shortAnswer() []string {
	var all []string
	if text := v.replaySentence(); text != "" {
		all = append(all, text)
	}
	all = slices.Concat(all, v.machines.Sentences(), v.withImpossible(), v.gains.VerdictSentences())
	if !v.Gains.TooFew() {
		all = append(all, v.gains.BreakevenSentences()...)
		if text := replayview.Flips(v.Variations); text != "" {
			all = append(all, text)
		}
		all = append(all, v.gains.Losers(logstats.BySize, logstats.By(joblog.Partition), logstats.By(joblog.User))...)
	}
	return append(all, v.toDo()...)
}

// answer is the short answer with what was compared besides: other policies, a rule for the case that all jobs can be resized, and the
// chain.
func (v *view) answer() []string {
	all := v.shortAnswer()
	if v.Gains.TooFew() {
		return all
	}
	all = append(append(all, v.others()...), v.allMalleable()[0])
	part := v.chainPart()
	return append(append(all, part.Lead...), part.Bullets...)
}

// summary returns the sentences of the summary: what the replay is worth, the verdict, how certain it is, and what would change it.
func (v *view) summary() []string {
	var all []string
	add := func(text string) {
		if text != "" {
			all = append(all, text)
		}
	}
	add(v.gains.Unreproduced())
	add(v.gains.VerdictSentence())
	add(v.gains.CertaintySentence())
	add(replayview.Flips(v.Variations))
	add(v.gains.LimitSentence())
	if v.gains.Unreproduced() == "" {
		add(v.replaySentence())
	}
	add(v.toDo()[0])
	return all
}
