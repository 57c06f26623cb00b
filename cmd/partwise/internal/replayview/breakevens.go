package replayview

import (
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/replay"
)

// Breakevens returns the break-even costs by share of malleable jobs.
func Breakevens(title string, all []replay.Breakeven) *output.List {
	cost := func(key, head, none string) output.Column {
		return output.Col(key, head).Else(none).Written(func(v any) string { return words.Fixed(v.(float64), 0) })
	}
	share := output.Col("malleable_share", "malleable jobs").Right().Written(func(v any) string { return words.Tenths(v.(float64)) })
	return output.NewList("results", title, output.Wide, all, func(b *replay.Breakeven) output.Row {
		return output.Row{output.InJSON("policy", b.Policy.String()), share.Is(b.Share),
			cost("resize_cost", "break-even [s]", "none").Is(b.ResizeCost.Mean), cost("low", "from", "–").Is(b.ResizeCost.Low),
			cost("high", "to", "–").Is(b.ResizeCost.High)}
	})
}

// secondsRange writes the ends of the interval of a time, with their unit once where it is the same.
func secondsRange(e metric.Interval) string {
	low, high := words.Seconds(e.Low), words.Seconds(e.High)
	if strings.HasSuffix(high, " s") {
		low = strings.TrimSuffix(low, " s")
	}
	return low + " to " + high
}

// Breakeven says up to which time of a resize resizing pays.
func Breakeven(b replay.Breakeven) string {
	e := b.ResizeCost
	sentence := "With " + words.Tenths(b.Share) + " of the jobs malleable, "
	switch {
	case e.Mean == 0:
		sentence += "resizing does not pay, not even if it is free"
	case math.IsInf(e.Mean, 1):
		sentence += "resizing pays at all resize costs that were tried, up to 11 days" // [replay.Breakeven]
	default:
		sentence += "resizing pays while a resize takes less than " + words.Seconds(e.Mean)
	}
	switch {
	case math.IsNaN(e.Low):
		sentence += " (no interval: too few jobs)"
	case e.Mean > 0 && e.IsKnown():
		sentence += " (" + intervalWords + " " + secondsRange(e) + ")"
	}
	return sentence + "."
}

// CostToHold says which resize cost to keep below, for the decisive share of malleable jobs; "" if no such cost was found.
func (g *Gains) CostToHold() string {
	run := g.Decisive()
	if run == nil {
		return ""
	}
	b := run.BreakevenOf(g.Breakevens)
	if b == nil || !words.Finite(b.ResizeCost.Mean) || b.ResizeCost.Mean == 0 {
		return ""
	}
	most := words.Seconds(b.ResizeCost.Mean)
	if b.ResizeCost.IsKnown() {
		most = words.Seconds(b.ResizeCost.Low) + " (the low end of the " + intervalWords + ")"
	}
	return "Measure the resize cost: it must stay below " + most + ", checkpoint and restart included."
}
