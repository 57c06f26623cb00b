package studycmd

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// step is something to do: a sentence, the command that does it, and the same in a few words for the summary.
type step struct {
	text, command, short string
	isTool               bool // the step is its command, which the summary has, too
}

// summary returns the step in a few words, perhaps with its command in a line of its own.
func (s step) summary() string {
	if !s.isTool {
		return words.Sentence("next: ", s.short)
	}
	return "Next: " + s.short + ":\n" + output.CommandLine(s.command)
}

// toDo says what to do, the most urgent first, with the policy that was measured: EASY with a share of the jobs malleable. Where
// the replay does not give the waits of the log, their cause comes before everything else.
func (v *view) toDo() []step {
	if v.Gains.Impossible != nil {
		return []step{{text: "Nothing can be said of resizing before the log can be replayed.",
			short: "mend the log, so that it can be replayed"}}
	}
	if v.Gains.TooFew() {
		return []step{{text: "Study a longer log. Change nothing on the strength of this one.", short: "study a longer log"}}
	}
	var all []step
	switch {
	case v.gains.Logged == nil:
		all = append(all, step{text: "Study a log that tells when jobs started: without it nothing says whether the machine works as " +
			"in the replay.", short: "study a log that tells when jobs started"})
	case v.gains.Unreproduced() != "":
		if v.logged.NoLimits() != "" {
			all = append(all, step{text: "Write the log again with the time limits of its jobs (sacct --format …,Timelimit), and study " +
				"it: without limits the replay plans with the run times.",
				short: "write the log again with Timelimit among its columns, and study it"})
		}
		all = append(all, v.findCause()...)
	}
	if s := v.widen(); s.text != "" {
		all = append(all, s)
	}
	if text := v.gains.NoneResizable(); text != "" {
		return append(all, step{text: "Keep EASY backfilling. " + text, short: "keep EASY backfilling"})
	}
	answer, from := v.gains.Verdict()
	switch answer {
	case replay.PaysNot:
		return append(all, keepEASY(v.gains.Runs))
	case replay.NotClear:
		all = append(all, step{text: "Do not resize running jobs for the sake of this log: it shows no gain that is more than chance.",
			short: "do not resize running jobs for the sake of this log"})
		return append(all, v.measureCost()...)
	}
	return append(all, v.resize(from)...)
}

// keepEASY says not to resize jobs, where jobs take more time with the largest share of malleable jobs. If resizing pays with a
// smaller share, the step names this share.
func keepEASY(runs []*replay.Run) step {
	s := step{text: "Keep EASY backfilling, and do not resize running jobs.", short: "keep EASY backfilling"}
	for _, run := range runs {
		if run.Verdict() == replay.Pays {
			s.text = fmt.Sprintf("Keep EASY backfilling, or make %s of the jobs malleable and no more: larger shares can harm.",
				words.Tenths(run.Share))
		}
	}
	return s
}

// findCause says what to find out where the replay does not give the waits of the log. It names what was tried, so that nobody
// tries it again, and a rule by the clock that the starts show.
func (v *view) findCause() []step {
	logged, replayed := v.gains.Logged.Waiting.Mean, v.gains.EASY.Waits.Mean
	text := fmt.Sprintf("Find out why jobs wait: the replay explains %s of %s on average. ", words.Seconds(replayed),
		words.Seconds(logged))
	if replayed > logged {
		text = fmt.Sprintf("Find out why jobs wait less (%s) than in the replay (%s): "+
			"the machine may have more nodes than %d, or share them. ", words.Seconds(logged), words.Seconds(replayed), v.log.Capacity())
	}
	if tried := v.machines.Tried(); tried != "" {
		text += tried + " "
	}
	const held, missing = "limits of users and groups, priorities, reservations",
		", and jobs that are missing from the log. This shows who waits:"
	whoWaits := step{text: text + "What no log tells: " + held + ", rules by the clock (--start-window)" + missing,
		command: v.next.whoWaits(), short: "find out why jobs wait", isTool: true}
	seen, rule := v.logged.StartRule()
	if rule == "" || v.Assumptions.StartWindow != nil {
		return []step{whoWaits}
	}
	whoWaits.text = "If the rule does not explain the waits: what no log tells are " + held + missing
	return []step{{text: text + seen + " A study under such a rule, whose days and times you may know better:",
		command: v.next.byTheClock(rule),
		short:   "try the rule by the clock that the starts show", isTool: true}, whoWaits}
}

// widen says to widen the partition in which most of the waiting was, and shows what more nodes would bring it. There
// is no such step unless the replay by partitions gives the waits of the log.
func (v *view) widen() (s step) {
	pool, share := v.Log.Logged.Busiest()
	if pool == nil || v.Machine().Pooling != study.Partitions || v.gains.Unreproduced() != "" {
		return s
	}
	nodes := words.Count(pool.Nodes, output.UnitWord(v.Machine().Unit))
	s.text = fmt.Sprintf("Look at the partition %s first: %s of the waiting is in its queue for %s.", pool.Name,
		words.Percent(share), nodes)
	if !v.gains.HelpsPool(pool.Name) {
		s.text += " Resizing running jobs does not shorten it."
	}
	s.text += fmt.Sprintf(" This shows what more %ss would bring:", output.UnitWord(v.Machine().Unit))
	s.command = v.next.onPartition(pool.Name, pool.Nodes)
	s.short = fmt.Sprintf("look at partition %s: %s of the waiting is for its %s", pool.Name, words.Percent(share), nodes)
	return s
}

// measureCost says which resize cost to keep below; no step if none was found.
func (v *view) measureCost() []step {
	text := v.gains.CostToHold()
	if text == "" {
		return nil
	}
	return []step{{text: text, short: strings.TrimSuffix(strings.ToLower(text[:1])+text[1:], ".")}}
}

// resize says how to resize the share of the jobs from which on resizing pays.
func (v *view) resize(from *replay.Run) (all []step) {
	share := words.Tenths(from.Share)
	flag := " --malleable " + strings.ReplaceAll(share, " ", "")
	first := "Let"
	if v.gains.Unreproduced() != "" {
		first = "If the cause does not call the gain into question, let"
	}
	all = append(all, step{text: fmt.Sprintf("%s %s. A controller that resizes them, and settings for Slurm:", first,
		logview.MalleableRule(from, v.unit())),
		command: v.next.onMachine("advise") + flag + " --controller rules --systems rules",
		short:   "make " + share + " of the jobs malleable"})
	return append(append(v.measureCost(), all...), step{text: "The schedule that was measured, job by job:",
		command: v.next.onMachine("replay") + " --policy easy-malleable" + flag + " --jobs-output schedule.csv"})
}

// steps are the steps of the page.
func (v *view) steps() []reportcmd.Step {
	return output.RowsOf(v.toDo(), func(s step) reportcmd.Step { return reportcmd.Step{Text: s.text, Command: s.command} })
}

// sentences are the steps as sentences. A command follows its sentence in a line of its own, which can be pasted.
func sentencesOf(all []step) (lines []string) {
	for i, s := range all {
		text := s.text
		if len(all) > 1 {
			text = fmt.Sprintf("%d. %s", i+1, text)
		}
		if lines = append(lines, text); s.command != "" {
			lines = append(lines, output.CommandLine(s.command))
		}
	}
	return lines
}
