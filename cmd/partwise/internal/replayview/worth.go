package replayview

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/replay"
)

// worthObject has the number of nodes with which EASY alone is as fast as a run, with its interval, interpolated between whole
// numbers. The field more is the least whole number of nodes that is enough, beyond the nodes of the machine. A number that is
// infinite is left out: no number of nodes is enough. worthObject returns nil if the worth was not searched.
func (g *Gains) worthObject(run *replay.Run) any {
	n := run.Worth.Nodes
	if n.Mean == 0 {
		return nil
	}
	finite := func(x float64) any { return output.When(words.Finite(x), x) }
	return output.Pairs("mean", finite(n.Mean), "low", finite(n.Low), "high", finite(n.High), "more", finite(run.Worth.More(n.Mean)),
		"pool", output.NonZero(run.Worth.Pool), "no_number_is_enough", output.When(math.IsInf(n.Mean, 1), true))
}

// worthWords says what the malleable jobs of a run are worth: the nodes that EASY alone needs beyond the nodes of the machine,
// with their interval. It returns "" if the worth was not searched, or if resizing does not pay significantly.
func (g *Gains) worthWords(run *replay.Run) string {
	n, own := run.Worth.Nodes, float64(run.Worth.Own)
	switch {
	case n.Mean <= own || run.Verdict() != replay.Pays:
		return ""
	case math.IsInf(n.Mean, 1):
		return "more than any number of " + output.UnitWord(g.Unit) + "s"
	}
	text := words.Count(int(run.Worth.More(n.Mean)), "more "+output.UnitWord(g.Unit))
	if run.Worth.Pool != "" {
		text += " of partition " + run.Worth.Pool
	}
	return text + boundsOfWorth(&run.Worth)
}

// boundsOfWorth returns the interval of the nodes beyond the nodes of the machine, in brackets. It returns the lower end if the
// upper end is not known, and "" if neither end is known.
func boundsOfWorth(w *replay.Worth) string {
	low, high := w.More(w.Nodes.Low), w.More(w.Nodes.High)
	switch {
	case !words.Finite(low):
		return ""
	case !words.Finite(high):
		return fmt.Sprintf(" (at least %.0f)", low)
	}
	return fmt.Sprintf(" (%.0f to %.0f)", low, high)
}

// worthSentence says with how many more nodes EASY alone would be as fast as with the decisive share of malleable jobs; "" if
// that is not known.
func (g *Gains) worthSentence() string {
	run := g.Decisive()
	if run == nil || g.worthWords(run) == "" {
		return ""
	}
	then := "with so many EASY alone would be as fast"
	if run.Worth.Pool != "" {
		then += " for its jobs"
	}
	if math.IsInf(run.Worth.Nodes.Mean, 1) {
		then = "EASY alone would be slower on any"
	}
	return fmt.Sprintf("%s malleable jobs are worth %s: %s.", words.Tenths(run.Share), g.worthWords(run), then)
}
