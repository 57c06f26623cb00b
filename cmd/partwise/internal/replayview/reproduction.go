package replayview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// replayedPairs returns the fields of JSON with the waits of a replay beside those of the log; nil if there is nothing
// to compare with.
func replayedPairs(w *logstats.Replayed) output.Object {
	if w == nil {
		return nil
	}
	return output.Pairs("waiting", output.Pairs("mean", w.Mean, "median", w.Median, "p90", w.P90),
		"rank_correlation", w.RankCorrelation, "reproduced", w.Reproduced)
}

// ReplaySentence says what the replay is worth: whether EASY reproduces the logged waits. It returns "" if there is nothing to
// compare with.
func (g *Gains) ReplaySentence() string {
	w := g.waits()
	switch {
	case w == nil:
		return ""
	case !w.Reproduced:
		return g.Unreproduced()
	}
	return fmt.Sprintf("Jobs waited %s in the log and %s in the replay: EASY %s reproduces this machine.",
		words.Seconds(g.Logged.Waiting.Mean), words.Seconds(w.Mean), g.where())
}

// where names the machine of the replay of EASY.
func (g *Gains) where() string {
	if n := len(g.EASY.Pools); n > 0 {
		return "in " + words.Count(n, "partition") + ", each a machine of its own,"
	}
	return "on one pool of " + words.Count(g.EASY.Nodes, output.UnitWord(g.Unit))
}

// Unreproduced returns the sentence that the replay of EASY does not reproduce the logged waits, and what the verdict
// is then worth. It returns "" if the replay reproduces the waits, or if there is nothing to compare with.
func (g *Gains) Unreproduced() string {
	w := g.waits()
	if w == nil || w.Reproduced {
		return ""
	}
	return fmt.Sprintf("Jobs waited %s in the log and %s in the replay: EASY %s does not reproduce this machine. "+
		"What follows holds for the replay.", words.Seconds(g.Logged.Waiting.Mean), words.Seconds(w.Mean), g.where())
}

// waits returns the waits of the replay of EASY; nil where there is nothing to compare with.
func (g *Gains) waits() *logstats.Replayed {
	if g.Logged == nil || g.EASY == nil {
		return nil
	}
	return g.EASY.Waits
}

// anchored says how much time jobs would take if the waiting that the replay does not explain stayed; "" where the replay explains
// the waiting.
func (g *Gains) anchored(run *replay.Run) string {
	if g.Unreproduced() == "" {
		return ""
	}
	unexplained := g.Logged.Waiting.Mean - g.waits().Mean
	ratio, ok := run.Anchored(g.Logged.MeanResponseTime)
	switch {
	case !ok:
		return "The replay saves more time than the logged jobs took: the unit or the number of nodes is wrong."
	case unexplained <= 0:
		return ""
	}
	return fmt.Sprintf("If the other %s of waiting stay, jobs take %s under EASY with %s of the jobs malleable.",
		words.Seconds(unexplained), timeTaken(ratio.Mean), words.Tenths(run.Share))
}

// anchoredRatio returns the anchored gain of a run. It reports false where the replay explains the waiting, or where the gain
// cannot be anchored.
func (g *Gains) anchoredRatio(run *replay.Run) (ratio metric.Interval, ok bool) {
	if g.Unreproduced() == "" {
		return ratio, false
	}
	return run.Anchored(g.Logged.MeanResponseTime)
}

// anchoredChange says how much time jobs of a run would take if the waiting that the replay does not explain stayed.
func (g *Gains) anchoredChange(run *replay.Run) (text string, ok bool) {
	ratio, ok := g.anchoredRatio(run)
	return change(ratio.Mean), ok
}

// anchoredObject returns the anchored gain of a run as JSON has it. It returns nil if the gain cannot be anchored.
func (g *Gains) anchoredObject(run *replay.Run) any {
	if g.waits() == nil {
		return nil
	}
	ratio, ok := run.Anchored(g.Logged.MeanResponseTime)
	if !ok {
		return nil
	}
	return estimateObject(ratio)
}

// RuleSentences say how near the replay of EASY comes to the log, and by which rule it reproduces the log or not; none if there is
// nothing to compare with.
func (g *Gains) RuleSentences() []string {
	w := g.waits()
	if w == nil {
		return nil
	}
	verdict := "so it reproduces the log"
	if !w.Reproduced {
		verdict = "so it does not reproduce the log"
	}
	ranks := "is unknown, because all waits of one of them are equal"
	if words.Finite(w.RankCorrelation) {
		ranks = "is " + words.Fixed(w.RankCorrelation, 2)
	}
	mean, p90, seconds, least := logstats.Nearness()
	return []string{fmt.Sprintf("Under EASY the same jobs wait %s on average, half of them at most %s, nine of ten at most %s, "+
		"and the rank correlation with the logged waits %s, %s.", words.Seconds(w.Mean), words.Seconds(w.Median),
		words.Seconds(w.P90), ranks, verdict),
		fmt.Sprintf("The rule, which is a choice: the mean within %.0f %%, the 90 %% quantile within a factor of %s or %s, and a "+
			"rank correlation of at least %s.", 100*mean, words.Shortest(p90), words.Seconds(seconds), words.Shortest(least))}
}
