package logview

import (
	"fmt"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/study"
)

// fewestForLimits is the number of jobs below which nothing is said of time limits.
const fewestForLimits = 10

// longestLog is more seconds than any machine was in use: 50 years.
const longestLog = 50 * 366 * 86400

// Machine is the machine of a log, whose number of nodes the use of nodes may call into question.
type Machine struct {
	Nodes   int
	Unit    string // what one of the nodes is called: node, CPU or GPU
	Assumed bool   // the number of nodes was counted from the names in the log
}

// sharing is why jobs hold more nodes than the log names, and what to do about it. The number of nodes is right then.
const sharing = "jobs shared nodes, and a shared node counts for each of its jobs; --unit-of-allocation cpus counts CPUs, if " +
	"the log tells them"

// Warning returns that jobs held more nodes at once than the machine has, for more than a moment; "" if they did not.
func (m Machine) Warning(u *logstats.Use) string {
	if !u.Exceeds() {
		return ""
	}
	has, why := "the machine of "+words.Count(m.Nodes, m.Unit)+" has", "is --nodes right, or do jobs share nodes?"
	if m.Assumed {
		has, why = "the "+words.Count(m.Nodes, m.Unit)+" that the log names", sharing
	}
	return fmt.Sprintf("jobs held up to %s at once, and more than %s for %s of the time: %s",
		words.Count(u.Peak, m.Unit), has, words.Tenths(u.Beyond), why)
}

// excessSentence says that jobs held more nodes at once than the machine has, for too short a time for a warning. It is "" if
// they did not, or for less than a thousandth of the time, rounded.
func (l *Log) excessSentence() string {
	if l.Logged == nil {
		return ""
	}
	u := &l.Logged.Use
	if u.Beyond < 0.0005 || u.Exceeds() {
		return ""
	}
	return fmt.Sprintf("Jobs held up to %s at once, and more than the %s of the machine for %s of the time.",
		words.Count(u.Peak, l.unit), words.Whole(l.nodes), words.Tenths(u.Beyond))
}

// ask returns what to do about a number of nodes that may be wrong.
func (m Machine) ask() string {
	if m.Assumed {
		return "give the number with --nodes"
	}
	return "is --nodes right?"
}

// NoLimits says that a table of sacct has no time limits of its jobs, what replays plan with instead, and how to get the limits.
// It returns "" if the log has limits, is in another format, or has few jobs.
func (l *Log) NoLimits() string {
	if l.source.Format != "sacct" || l.accuracy.Jobs > 0 || l.Jobs.Len() < fewestForLimits {
		return ""
	}
	return "the log has no estimates (time limits): replays plan with the run times, which no scheduler knows, and jobs wait " +
		"differently than with limits; write the log with sacct --format …,Timelimit"
}

// gapWarning says that no job was submitted in most of the time of the log; "" if that is not so. It says when, at what load the
// jobs came in the other time, and how to choose these jobs.
func (l *Log) gapWarning() string {
	span := l.Offer.Last - l.Offer.First
	if l.Statistics == nil || !l.Statistics.LongGaps.MostOf(span) {
		return ""
	}
	g := &l.Statistics.LongGaps
	gaps, without := "a gap", "this gap"
	if g.Number > 1 {
		gaps, without = words.Count(g.Number, "gap")+", the longest", "these gaps"
	}
	text := fmt.Sprintf("in %s of the time of the log no job was submitted: %s of %s begins %s after the first submission",
		words.Tenths(g.Sum/span), gaps, words.Span(g.To-g.From), words.Span(g.From-l.Offer.First))
	if rest := span - g.Sum; words.Finite(l.Load) && rest > 0 {
		text += fmt.Sprintf("; without %s the load would be %s", without, words.Round(l.Load*span/rest, 3))
	}
	return text + "; if the dates are right, --to or --from chooses the jobs before or after a gap"
}

// Warnings returns the warnings of a log: the text of [Log.NoLimits], that all jobs came at once, and what the use of the nodes
// calls into question, see [logstats.Logged.MachineWarnings]. assumed says that the number of nodes was taken from the log, and
// not given.
func (l *Log) Warnings(assumed bool) (all []string) {
	all = words.NonEmpty(l.NoLimits())
	if span, run := l.Offer.Last-l.Offer.First, l.MeanRunTime(); l.Offer.Jobs > 1 && span < run {
		all = append(all, fmt.Sprintf("all jobs were submitted within %s, less than their mean run time of %s: their load tells "+
			"nothing of a longer time", words.Seconds(span), words.Seconds(run)))
	}
	if span := l.Offer.Last - l.Offer.First; span > longestLog {
		all = append(all, fmt.Sprintf("jobs were submitted over %s: are the times of the log in milliseconds?",
			words.Days(span/86400)))
	}
	all = append(all, words.NonEmpty(l.gapWarning())...)
	machine := l.Logged.MachineWarnings(l.nodes)
	if machine == (logstats.MachineWarnings{}) {
		return all
	}
	u, e := &l.Logged.Use, &l.Logged.Use.Edges
	m := Machine{l.nodes, l.unit, assumed}
	if machine.Exceeded {
		all = append(all, m.Warning(u))
	}
	if machine.HardlyUsed && l.Seen == study.SeenAll { // selected jobs may well use few of the nodes
		all = append(all, fmt.Sprintf("no more than %s of %s were in use at once, and no job waited for nodes: %s",
			words.Fixed(float64(u.Peak), 0), words.Count(l.nodes, l.unit), m.ask()))
	}
	if machine.RunsShort && l.source.Format == joblog.SWF { // other formats have units of time
		wait := l.Logged.Waiting.Mean
		all = append(all, fmt.Sprintf("jobs waited %s on average while enough nodes were free, and ran for %s: "+
			"are the run times of the log in minutes? They count as seconds",
			words.Seconds(wait), words.Seconds(l.Logged.MeanResponseTime-wait)))
	}
	if machine.FillsLate {
		all = append(all, fmt.Sprintf("the machine fills for the first %s of %s: "+
			"jobs that ran when the log begins seem to be missing", words.Seconds(e.Filling), words.Seconds(e.Span)))
	}
	if machine.EndsEarly && len(l.source.Unfinished) == 0 { // jobs that still ran when the log ended are counted
		all = append(all, fmt.Sprintf("jobs start until %s before the last end, and running jobs go on for %s on average: "+
			"jobs that still ran when the log ends seem to be missing", words.Seconds(e.Tail), words.Seconds(e.Residual)))
	}
	return all
}
