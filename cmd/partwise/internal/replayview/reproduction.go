package replayview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
)

// replayedPairs returns the fields of JSON with the waits of a replay beside those of the log; nil if there is nothing
// to compare with.
func replayedPairs(w *logstats.Replayed) output.Object {
	if w == nil {
		return nil
	}
	return output.Pairs("waiting", output.Pairs("mean", w.Mean, "median", w.Median, "p90", w.P90), "rank_correlation", w.RankCorrelation,
		"reproduced", w.Reproduced)
}

// Unreproduced returns the sentence that the replay of EASY does not reproduce the logged waits, and what the verdict
// is then worth. It returns "" if the replay reproduces the waits, or if there is nothing to compare with.
func (g *Gains) Unreproduced() string {
	w := g.waits()
	if w == nil || w.Reproduced {
		return ""
	}
	where := "on one pool of " + words.Count(g.EASY.Nodes, UnitWord(g.Unit))
	if n := len(g.EASY.Pools); n > 0 {
		where = "in " + words.Count(n, "partition") + ", each a machine of its own,"
	}
	return fmt.Sprintf("Jobs waited %s in the log and %s in the replay: EASY %s does not reproduce this machine. "+
		"What follows holds for the replay.", output.Seconds(g.Logged.Waiting.Mean), output.Seconds(w.Mean), where)
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
	return fmt.Sprintf("If the other %s of waiting stay, jobs take %s under EASY with %s of the jobs malleable.", output.Seconds(unexplained), timeTaken(ratio.Mean),
		output.Tenths(run.Share))
}

// anchoredChange says how much time jobs of a run would take if the waiting that the replay does not explain stayed. It reports false
// where the replay explains the waiting, or where the gain cannot be anchored.
func (g *Gains) anchoredChange(run *replay.Run) (text string, ok bool) {
	if g.Unreproduced() == "" {
		return "", false
	}
	ratio, ok := run.Anchored(g.Logged.MeanResponseTime)
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
