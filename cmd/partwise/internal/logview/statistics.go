package logview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/logstats"
)

// dayName returns the name of a day of the week, from Monday on; of a log without a date they are numbered.
func dayName(s *logstats.Statistics, i int) string {
	if s.Dated {
		return time.Weekday((i + 1) % 7).String()
	}
	return "day " + strconv.Itoa(i+1)
}

// The columns of the statistics of a log: conversions of the values of package logstats, whose fields they name.
type (
	momentColumns struct {
		N    int
		Mean float64 `key:"mean"`
		SCV  float64 `key:"scv"`
	}
	lagColumns struct {
		Lag        int     `key:"lag" head:"lag" form:"json"`
		Gaps       float64 `key:"gaps" head:"gaps" form:"number decimals=3 none=–"`
		GapRanks   float64 `key:"gap_ranks" head:"of ranks" form:"number decimals=3 none=–"`
		Work       float64 `key:"work" head:"work" form:"number decimals=3 none=–"`
		WorkRanks  float64 `key:"work_ranks" head:"of ranks" form:"number decimals=3 none=–"`
		Dispersion float64 `key:"dispersion" head:"dispersion" form:"number digits=3 none=–"`
	}
	windowColumns struct {
		Name    string  `head:"window"`
		Window  float64 `key:"window" form:"json"`
		Windows int
		Counts  float64 `key:"jobs" head:"jobs" form:"number digits=3 none=–"`
		Work    float64 `key:"work" head:"work" form:"number digits=3 none=–"`
	}
	sizeColumns struct {
		Nodes int     `key:"nodes"`
		Jobs  int     `key:"jobs"`
		Work  float64 `key:"work"`
	}
	rateColumns struct {
		Jobs  int     `key:"jobs" form:"json"`
		Hours float64 `key:"hours" form:"json"`
	}
	assumptionColumns struct {
		Name    string           `key:"assumption" form:"json"`
		Claim   string           `key:"claim" head:"assumption" form:"json"`
		Verdict logstats.Verdict `key:"verdict" head:"verdict" form:"json"`
		Effect  float64          `key:"effect" form:"json"`
		P       float64          `key:"p" form:"json"`
		Shown   string           `key:"shown_by" head:"shown by" form:"json"`
	}
)

// statistics are those of a log, laid out.
type statistics struct{ *logstats.Statistics }

// addStatistics adds the statistics of a log.
func addStatistics(r *output.Result, s *logstats.Statistics) {
	if s == nil {
		r.Note("The log has too few jobs to tell how they come.")
		return
	}
	v := &statistics{s}
	moments := section(output.ListOf("", "", output.Long, []momentColumns{momentColumns(v.Gaps), momentColumns(v.Work)}, ""),
		func(i int) any { return []string{"gaps", "work"}[i] })
	gaps, work := moments.Objects()[0], moments.Objects()[1]
	all := output.Pairs("gaps", gaps, "work", work, "", moments)
	v.summary(&r.Object, gaps)
	if v.Calendar != nil {
		v.calendar(&all)
	}
	all.Add("autocorrelation", section(output.ListOf("", "Dependence between jobs so many places apart, and index of dispersion for intervals",
		output.Long,
		output.RowsOf(v.Lags, func(l logstats.Lag) lagColumns { return lagColumns(l) }), ""), func(i int) any { return fmt.Sprint("lag ", v.Lags[i].Lag) }))
	all.Add("dispersion", section(output.ListOf("", "Index of dispersion by window", output.Long,
		output.RowsOf(v.Windows, func(d logstats.Dispersion) windowColumns { return windowColumns(d) }), ""),
		func(i int) any { return "window of " + v.Windows[i].Name }))
	all = append(all, output.Pairs("same_second", s.SameSecond, "same_second_expected", s.SameSecondExpected, "gap_work_correlation", s.GapWork,
		"powers_of_two", v.PowersOfTwo, "", output.ListOf("", "", output.Wide, []figure{{"log", "powers_of_two", v.PowersOfTwo}}, ""),
		"jobs_by_nodes", output.ListOf("", "", output.NoCSV,
			output.RowsOf(v.Sizes, func(z logstats.Size) sizeColumns { return sizeColumns(z) }), ""), "assumptions", v.assumptions())...)
	r.Add("statistics", all)
}

// summary adds what programs ask for most: moments and dependence of the gaps, jobs by hour of the day, and jobs by day of the week.
// The days begin with Monday, or with the first day of a log without dates.
func (v *statistics) summary(o *output.Object, gaps output.Object) {
	if len(v.Lags) > 0 && v.Lags[0].Lag == 1 {
		gaps.Add("lag1", v.Lags[0].Gaps)
	}
	for _, w := range v.Windows {
		if name := map[float64]string{3600: "idc_1h", 86400: "idc_1d"}[w.Window]; name != "" {
			gaps.Add(name, w.Counts)
		}
	}
	o.Add("interarrival", gaps)
	if v.Calendar != nil {
		jobs := func(r logstats.Rate) int { return r.Jobs }
		o.Add("by_hour", output.RowsOf(v.Calendar.Hours[:], jobs))
		o.Add("by_weekday", output.RowsOf(v.Calendar.Days[:], jobs))
	}
}

// dayParts is the number of hours of a column of the table of the week.
const dayParts = 3

// calendar adds arrivals by hour, weekday and month.
func (v *statistics) calendar(o *output.Object) {
	type rate struct { // in an hour of the day or on a day of the week
		figure
		Hour any `key:"hour" form:"json"`
		Day  any `key:"day" form:"json"`
		rateColumns
	}
	type month struct {
		figure
		Period string `key:"period" form:"json"`
		rateColumns
		Load float64 `key:"load" form:"json"`
	}
	type load struct {
		figure
		Period string  `head:"days"`
		Jobs   int     `head:"jobs"`
		PerDay float64 `head:"per day" form:"digits=3 none=–"`
		Load   float64 `head:"load" form:"digits=3 none=–"`
	}
	var hours, days []rate
	for i, r := range v.Calendar.Hours {
		hours = append(hours, rate{figure{"jobs per hour by hour", i, r.PerHour()}, i, nil, rateColumns(r)})
	}
	for i, r := range v.Calendar.Days {
		day := dayName(v.Statistics, i)
		days = append(days, rate{figure{"jobs per hour by weekday", day, r.PerHour()}, nil, day, rateColumns(r)})
	}
	var months []month
	var loads []load
	for _, p := range v.Calendar.Periods {
		months = append(months, month{figure{"jobs per hour by month", p.Name, p.PerHour()}, p.Name, rateColumns(p.Rate), p.Load})
		loads = append(loads, load{figure{"load by month", p.Name, p.Load}, p.Name, p.Jobs, 24 * p.PerHour(), p.Load})
	}
	l := output.ListOf("", "Jobs and load over time", output.Wide, loads, "")
	switch period := &l.Columns[3]; {
	case len(loads) == 1: // there is nothing to compare
		l.Columns = l.Columns[:3]
	case v.Dated:
		period.Name = "month"
	}
	*o = append(*o, output.Pairs("dated", v.Dated, "by_hour", output.ListOf("", "", output.Wide, hours, ""),
		"by_weekday", output.ListOf("", "", output.Wide, days, ""), "", v.week(),
		"by_month", output.ListOf("", "", output.Wide, months, ""), "", l)...)
}

// week returns the table of the jobs per hour on the days of the week and on all days.
func (v *statistics) week() *output.List {
	all := append(v.Calendar.Week[:], v.Calendar.Hours)
	t := &output.List{Title: "Jobs per hour", Len: len(all), Form: output.NoCSV, Columns: []output.Column{{Name: "hour", Value: func(i int) any {
		if i < len(all)-1 {
			return dayName(v.Statistics, i)
		}
		return "all"
	}}}}
	if !v.Dated {
		t.Title += ", days counted from the first submission"
	}
	column := func(name string, from, to int) {
		t.Columns = append(t.Columns, output.Column{Name: name, Number: true, Text: output.Digits(3), None: "–", Value: func(i int) any {
			var part logstats.Rate
			for _, r := range all[i][from:to] {
				part.Add(r)
			}
			return part.PerHour()
		}})
	}
	for h := 0; h < len(v.Calendar.Hours); h += dayParts {
		column(fmt.Sprintf("%d–%d", h, h+dayParts), h, h+dayParts)
	}
	column("day", 0, len(v.Calendar.Hours))
	return t
}

// assumptions returns what the log says of the assumptions of chains.
func (v *statistics) assumptions() *output.List {
	type row struct {
		figure
		assumptionColumns
	}
	return output.ListOf("", "What chains assume, and what the log says of it", output.Wide,
		output.RowsOf(v.Assumptions, func(a logstats.Assumption) row {
			return row{figure{"assumption " + a.Name, string(a.Verdict), a.Effect}, assumptionColumns(a)}
		}), "")
}

// The series of figures.
const (
	jobSeries = iota
	workSeries
)

// arrivalPanels draws when jobs come, and how they depend on each other.
func arrivalPanels(s *logstats.Statistics) []chart.Panel {
	jobs, work := chart.Line{Series: jobSeries}, chart.Line{Series: workSeries}
	of := "after the first submission"
	if s.Dated {
		of = "of the day"
	}
	hours := chart.Panel{Title: "By hour of the day", XLabel: "hour " + of, YLabel: "jobs per hour"}
	days := chart.Panel{Title: "By day of the week", XLabel: "day", YLabel: "jobs per hour"}
	months := chart.Panel{Title: "By month", XLabel: "day of the log", YLabel: "times the mean"}
	windows := chart.Panel{Title: "Index of dispersion by window", XLabel: "window [h]", YLabel: "index of dispersion (Poisson: 1)",
		MayLogX: true, MayLog: true}
	intervals := chart.Panel{Title: "Index of dispersion for intervals", XLabel: "gaps in a row", YLabel: "index (constant if independent)", MayLogX: true}
	ranks := chart.Panel{Title: "Autocorrelation of ranks", XLabel: "lag [jobs]", YLabel: "correlation", MayLogX: true, HasRule: true}
	sizes := chart.Panel{Title: "Jobs and work up to a size", XLabel: "nodes", YLabel: "share of jobs, of work", MayLogX: true}
	for h := 0.; h <= 24; h += 6 {
		hours.XNames = append(hours.XNames, chart.Named{At: h, Name: fmt.Sprint(h)})
	}
	for d := range 7 {
		name, _ := strings.CutPrefix(dayName(s, d), "day ")
		days.XNames = append(days.XNames, chart.Named{At: float64(d) + .5, Name: name[:min(3, len(name))]})
	}
	if c := s.Calendar; c != nil {
		for i, r := range c.Hours {
			step(&hours, jobs, float64(i), 1, r.PerHour())
		}
		for i, r := range c.Days {
			step(&days, jobs, float64(i), 1, r.PerHour())
		}
		drawMonths(&months, s)
	}
	for _, w := range s.Windows {
		windows.Add(jobs, w.Window/3600, w.Counts)
		windows.Add(work, w.Window/3600, w.Work)
	}
	for _, l := range s.Lags {
		intervals.Add(jobs, float64(l.Lag), l.Dispersion)
		ranks.Add(jobs, float64(l.Lag), l.GapRanks)
		ranks.Add(work, float64(l.Lag), l.WorkRanks)
	}
	for _, z := range s.Sizes {
		ofJobs, ofWork := s.UpTo(float64(z.Nodes))
		sizes.Add(jobs, float64(z.Nodes), ofJobs)
		sizes.Add(work, float64(z.Nodes), ofWork)
	}
	panels := []chart.Panel{hours, days, months, windows, intervals, ranks, sizes}
	for i := range panels {
		panels[i].FromZero = true
	}
	return panels
}

// drawMonths draws the jobs per hour and the load of each period, relative to their means.
func drawMonths(p *chart.Panel, s *logstats.Statistics) {
	span, load, at := (s.Last-s.First)/3600, 0.0, 0.0
	for _, period := range s.Calendar.Periods {
		load += period.Load * period.Hours / span
	}
	for _, period := range s.Calendar.Periods {
		step(p, chart.Line{Series: jobSeries}, at, period.Hours/24, period.PerHour()*span/float64(s.Jobs))
		if load > 0 {
			step(p, chart.Line{Series: workSeries}, at, period.Hours/24, period.Load/load)
		}
		at += period.Hours / 24
	}
}

// step continues a line by a step of some width at the height y.
func step(p *chart.Panel, l chart.Line, from, width, y float64) {
	p.Add(l, from, y)
	p.Add(l, from+width, y)
}
