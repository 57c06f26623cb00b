package logview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
)

// WaitsFigure draws waits of a log over time and as a distribution, beside those of replays of the same jobs; nil without curves.
// Element i of replays names the replay of element i of curves. The logged waits of all curves are the same. Without names only
// the logged waits are drawn.
func WaitsFigure(curves []*logstats.WaitCurves, replays []string) *chart.Figure {
	if len(curves) == 0 || curves[0] == nil || len(curves[0].Periods) == 0 {
		return nil
	}
	f := &chart.Figure{Title: "How long jobs wait", Series: append([]string{"as logged"}, replays...)}
	f.Panels = waitPanels(curves, replays)
	return f
}

// waitPanels are the panels of [WaitsFigure]. The logged waits have the first series of the figure.
func waitPanels(curves []*logstats.WaitCurves, replays []string) []chart.Panel {
	logged := curves[0]
	over := chart.Panel{Title: "Mean wait by " + periodWords(logged.Period) + " of submission", XLabel: "day of the log",
		YLabel: "mean wait [h]", FromZero: true}
	shares := chart.Panel{Title: "Jobs that waited no longer than so long", XLabel: "wait [s]",
		YLabel: "share of the jobs", MayLogX: true, FromZero: true}
	draw := func(series int, wait func(*logstats.WaitPeriod) float64, c *logstats.WaitCurves, percentiles []float64) {
		line := chart.Line{Series: series}
		for i := range c.Periods {
			p := &c.Periods[i]
			over.Add(line, (p.From+c.Period/2)/86400, wait(p)/3600)
		}
		for k, wait := range percentiles {
			shares.Add(line, max(1, wait), float64(k)/100)
		}
	}
	draw(0, func(p *logstats.WaitPeriod) float64 { return p.Logged }, logged, logged.Logged)
	for i := range replays {
		draw(1+i, func(p *logstats.WaitPeriod) float64 { return p.Replayed }, curves[i], curves[i].Replayed)
	}
	return []chart.Panel{over, shares}
}

// periodWords names a period of [logstats.WaitCurves].
func periodWords(seconds float64) string {
	const hour, day, week = 3600, 86400, 7 * 86400
	switch seconds {
	case hour:
		return "hour"
	case day:
		return "day"
	case week:
		return "week"
	}
	return words.Count(int(seconds/week), "week")
}
