package fitcmd

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/words"
)

// plotFit draws the best candidate beside the data into the file of --plot.
func plotFit(inv *cli.Invocation, o *options, sample fit.Sample, best *fit.Candidate) error {
	c, err := fit.Compare(inv.Context, sample, best.Dist, int64(inv.Memory.Limit()))
	if err != nil {
		return fitError(inv, o, err)
	}
	name := fmt.Sprintf("%s, %s", best.Family, words.Count(best.Phases, "phase"))
	return input.Draw(inv, o.plot, fitFigure(c, name, o.unitOfValues()))
}

// fitFigure returns the picture of data and fit: shares of values above x, and quantiles against quantiles, on logarithmic
// axes.
func fitFigure(c fit.Comparison, name, unit string) *chart.Figure {
	tail := chart.Panel{Title: "Share of values above x", YLabel: "share of values above x", XLabel: "x [" + unit + "]",
		MayLog: true, MayLogX: true}
	least := 1.0
	for _, p := range c.Survival {
		if p.Data > 0 {
			least = min(least, p.Data)
		}
	}
	for _, p := range c.Survival {
		if p.Data > 0 && p.At > 0 {
			tail.Add(chart.Line{Dots: true}, p.At, p.Data)
		}
		if p.Fit > least/10 && p.At > 0 { // a tail that ends early would make the axis long
			tail.Add(chart.Line{Series: 1}, p.At, p.Fit)
		}
	}
	quantiles := chart.Panel{Title: "On the line the quantiles are equal", XLabel: "quantile of the fit [" + unit + "]",
		YLabel: "quantile of the data [" + unit + "]", MayLog: true, MayLogX: true}
	for _, q := range c.Quantiles {
		if q.Data > 0 && q.Fit > 0 && !math.IsInf(q.Fit, 1) {
			quantiles.Add(chart.Line{Dots: true}, q.Fit, q.Data)
			quantiles.Add(chart.Line{Series: 1}, q.Data, q.Data)
		}
	}
	return &chart.Figure{Heading: "Data and fit: " + name, Series: []string{"data", name}, Panels: []chart.Panel{tail, quantiles}}
}
