package fitcmd

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/fit"
)

// plotFit draws the best candidate beside the data.
func plotFit(inv *cli.Invocation, o *options, sample fit.Sample, best *fit.Candidate) error {
	c, err := fit.Compare(inv.Context, sample, best.Dist)
	if err != nil {
		return fitError(inv, o, err)
	}
	name := fmt.Sprintf("%s, %s", best.Family, output.Count(best.Phases, "phase"))
	return inv.Draw(o.plot, fitFigure(c, name, o.unitOfValues()))
}

// fitFigure shows tails and quantiles on logarithmic axes.
func fitFigure(c fit.Comparison, name, unit string) *chart.Figure {
	tail := chart.Panel{YLabel: "P(X > x)", XLabel: "x [" + unit + "]", MayLog: true, MayLogX: true}
	seen, fitted := chart.Line{Dots: true}, chart.Line{Series: 1}
	least := 1.0
	for _, p := range c.Survival {
		if p.Data > 0 {
			least = math.Min(least, p.Data)
		}
	}
	for _, p := range c.Survival {
		if p.Data > 0 && p.Value > 0 {
			seen.X, seen.Y = append(seen.X, p.Value), append(seen.Y, p.Data)
		}
		if p.Fit > least/10 && p.Value > 0 { // a tail that ends early would make the axis long
			fitted.X, fitted.Y = append(fitted.X, p.Value), append(fitted.Y, p.Fit)
		}
	}
	tail.Lines = []chart.Line{seen, fitted}
	pairs, same := chart.Line{Dots: true}, chart.Line{Series: 1}
	for _, q := range c.Quantiles {
		if q.Data > 0 && q.Fit > 0 && !math.IsInf(q.Fit, 1) {
			pairs.X, pairs.Y = append(pairs.X, q.Fit), append(pairs.Y, q.Data)
			same.X, same.Y = append(same.X, q.Data), append(same.Y, q.Data)
		}
	}
	quantiles := chart.Panel{XLabel: "quantile of the fit [" + unit + "]",
		YLabel: "quantile of the data [" + unit + "]", MayLog: true, MayLogX: true, Lines: []chart.Line{pairs, same}}
	return &chart.Figure{Heading: "Data and fit: " + name, Series: []string{"data", name}, Panels: []chart.Panel{tail,
		quantiles}}
}
