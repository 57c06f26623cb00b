package replayview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
)

// Sentences say whether resizing pays on the log, and by how much. Where the replay of EASY does not give the waits of the log, the
// first sentence says so.
func (g *Gains) Sentences() []string {
	return append(words.NonEmpty(g.Unreproduced()), g.VerdictSentences()...)
}

// VerdictSentences say whether resizing pays in the replay, and by how much.
func (g *Gains) VerdictSentences() []string {
	return append([]string{g.VerdictSentence()}, g.GainSentences()...)
}

// GainSentences say in numbers what the verdict says: by how much, and from which share of malleable jobs on. They say what
// remains of the gain if the waiting that the replay does not explain stays, and what the malleable jobs are worth in nodes.
func (g *Gains) GainSentences() []string {
	if g.Impossible != nil || g.TooFew() || g.NoneResizable() != "" {
		return nil
	}
	answer, from := g.Verdict()
	run := g.Decisive()
	all := []string{g.gainInNumbers(run)}
	switch answer {
	case replay.Pays:
		all = append(append(all, fmt.Sprintf("Resizing pays from %s malleable jobs on; %s were compared.",
			words.Tenths(from.Share), g.shares())), g.caution(run)...)
	case replay.PaysNot:
		if !replay.IsMixed(g.Runs) {
			all = append(all, "Resizing does not pay, even if all jobs are malleable.")
		}
		all = append(all, g.caution(run)...)
	}
	return append(all, words.NonEmpty(g.anchored(run), g.worthSentence())...)
}

// NoneResizable says that no job can be resized, because all jobs run on machines of one node. It is "" if some job can be resized.
func (g *Gains) NoneResizable() string {
	switch {
	case !g.OneNode():
		return ""
	case len(g.EASY.Pools) > 0:
		return "No job can be resized: the partition of each job has one node."
	}
	return "No job can be resized: the machine has one node."
}

// CertaintySentence says how well the decisive gain is known; "" of a log with too few jobs, or whose jobs cannot be resized.
func (g *Gains) CertaintySentence() string {
	run := g.Decisive()
	if run == nil || g.TooFew() || g.NoneResizable() != "" {
		return ""
	}
	var parts []string
	if answer, _ := g.Verdict(); answer != replay.NotClear { // else the verdict says it
		parts = append(parts, intervalWords+": "+changes(run.Ratio()))
	}
	if foretold(run) {
		parts = append(parts, "in "+g.another()+": "+otherChanges(run))
	}
	if anchored, ok := g.anchoredChange(run); ok {
		parts = append(parts, "if the other waiting stays: "+anchored)
	}
	if parts == nil {
		return ""
	}
	return words.Sentence(strings.Join(parts, "; "))
}

// shares names the shares of malleable jobs that were replayed.
func (g *Gains) shares() string {
	return words.And(words.Texts(g.Runs, func(run *replay.Run) string { return words.Tenths(run.Share) }))
}

// caution says that another stretch of the log could give another verdict, if that is so.
func (g *Gains) caution(run *replay.Run) []string {
	if e := ratioForecast(run); e.ForecastHigh < 1 || 1 < e.ForecastLow || !foretold(run) {
		return nil
	}
	return []string{"That holds for this log; in " + g.another() + " it could be the other way round."}
}

// another names a stretch that is as long as the log.
func (g *Gains) another() string { return "another " + words.Days(g.Days) }

// fewJobs says how many jobs came in which time, with the verb. One job, or jobs that came at once, came in no time.
func (g *Gains) fewJobs() string {
	jobs := words.Count(g.Last().Jobs, "job")
	switch {
	case g.Last().Jobs == 1:
		return jobs + " is"
	case g.Days == 0:
		return jobs + " that came at once are"
	}
	return jobs + " that came in " + words.Days(g.Days) + " are"
}

// VerdictSentence says in one sentence whether resizing pays, as pages begin. The sentence says that the
// verdict is about the replay, if the replay does not give the waits of the log, or if the log has no waits.
func (g *Gains) VerdictSentence() string {
	if g.Impossible != nil {
		return "The log cannot be replayed with malleable jobs: " + g.impossible() + "."
	}
	if text := g.NoneResizable(); text != "" {
		return text
	}
	if g.TooFew() {
		return fmt.Sprintf("%s too few to tell whether resizing pays; jobs of %s would do.", g.fewJobs(),
			words.Days(g.DaysNeeded(g.Last())))
	}
	lead := ""
	switch {
	case g.Logged == nil:
		lead = "in a replay that this log cannot check, "
	case g.Unreproduced() != "":
		lead = "in the replay, which does not reproduce this machine, "
	}
	text := words.Sentence(lead, g.verdictClause())
	if answer, _ := g.Verdict(); answer == replay.NotClear {
		text += g.lengthThatTells(g.Last())
	}
	return text
}

// verdictClause says whether resizing pays, of a log with enough jobs.
func (g *Gains) verdictClause() string {
	last := g.Last()
	answer, from := g.Verdict()
	switch {
	case replay.IsMixed(g.Runs):
		return "whether resizing pays depends on how many jobs are malleable: jobs take " +
			timesByShare(g.Runs, " time than under EASY", replay.Pays, replay.PaysNot)
	case answer == replay.Pays:
		return "resizing pays: " + gainClause(from) + " under EASY"
	case answer == replay.PaysNot:
		return "resizing does not pay: " + gainClause(last) + " under EASY"
	}
	text := fmt.Sprintf("it is not clear from this log whether resizing pays: "+
		"with %s of the jobs malleable, jobs take %s under EASY (%s)", words.Tenths(last.Share), timesTaken(last.Ratio()), intervalWords)
	if harm := timesByShare(g.Runs, " time", replay.PaysNot); harm != "" {
		text += ", but " + harm
	}
	return text
}

// timesByShare says by how much response times differ from those of EASY, for each share of malleable jobs that has one of the
// verdicts: "45 % more time with 20 % malleable and 7 % less with 100 %", where than is " time". It is "" if no share has one.
func timesByShare(runs []*replay.Run, than string, verdicts ...replay.Verdict) string {
	var all []string
	malleable := " malleable"
	for _, run := range runs {
		if slices.Contains(verdicts, run.Verdict()) {
			all = append(all, change(run.Ratio().Mean)+than+" with "+words.Tenths(run.Share)+malleable)
			than, malleable = "", ""
		}
	}
	if all == nil {
		return ""
	}
	return words.And(all)
}

// longestWait is the number of days beyond which nobody waits for a longer log: five years.
const longestWait = 5 * 365

// lengthThatTells says how long a log would have to be to tell whether resizing pays.
func (g *Gains) lengthThatTells(run *replay.Run) string {
	if days := g.DaysNeeded(run); days < longestWait {
		return " A log of " + words.Days(days) + " would have enough jobs to tell."
	}
	return " Even the jobs of some years could not tell."
}

// gainClause says how much time jobs take where a share of them is malleable.
func gainClause(run *replay.Run) string {
	return fmt.Sprintf("with %s of the jobs malleable, jobs take %s", words.Tenths(run.Share), timeTaken(run.Ratio().Mean))
}

// gainInNumbers says by how much the mean response time changes, with its interval and its forecast.
func (g *Gains) gainInNumbers(run *replay.Run) string {
	certainty := intervalWords + " " + changes(run.Ratio())
	if foretold(run) {
		certainty += "; in " + g.another() + ": " + otherChanges(run)
	}
	subject := "The mean response time is then"
	if replay.IsMixed(g.Runs) { // the verdict is about several shares
		subject = fmt.Sprintf("With %s malleable the mean response time is", words.Tenths(run.Share))
	}
	return fmt.Sprintf("%s %s in place of %s: %s (%s).", subject, seconds(run), seconds(run.Baseline), change(run.Ratio().Mean),
		certainty)
}

// seconds writes the mean response time of a run.
func seconds(run *replay.Run) string { return words.Seconds(run.Measures[measure.MeanResponseTime]) }
