package replayview

import (
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/replay"
)

// worthObject has the number of nodes with which EASY alone is as fast as a run, with its interval. The field more is the number of nodes
// beyond those of the machine. A number that is infinite is left out: no number of nodes is enough. It returns nil if the worth was not
// searched.
func (g *Gains) worthObject(run *replay.Run) any {
	n := run.Worth.Nodes
	if n.Mean == 0 {
		return nil
	}
	finite := func(x float64) any { return output.When(output.Finite(x), x) }
	return output.Pairs("mean", finite(n.Mean), "low", finite(n.Low), "high", finite(n.High), "more", finite(n.Mean-float64(run.Nodes)),
		"no_number_is_enough", output.When(math.IsInf(n.Mean, 1), true))
}
