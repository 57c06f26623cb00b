package logview

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
)

// dayName returns the name of a day of the week, from Monday on; of a log without a date they are numbered.
func dayName(s *logstats.Statistics, i int) string {
	if s.Dated {
		return time.Weekday((i + 1) % 7).String()
	}
	return "day " + strconv.Itoa(i+1)
}

// statistics are the statistics of a log, laid out.
type statistics struct{ *logstats.Statistics }

// addStatistics adds the statistics of a log.
func addStatistics(r *output.Result, s *logstats.Statistics) {
	if s == nil {
		r.Note("The log has too few jobs to tell how they come.")
		return
	}
	v := &statistics{s}
	gaps, work := momentCells(v.Gaps), momentCells(v.Work)
	moments := sectionsOfRows("", "", append(output.Row{section("gaps")}, gaps...), append(output.Row{section("work")}, work...))
	ofGaps := gaps.Object()
	all := output.Pairs("gaps", ofGaps, "work", work.Object(), "", moments)
	v.summary(&r.Object, ofGaps)
	if v.Calendar != nil {
		v.calendar(&all)
	}
	all = append(all, output.Pairs("autocorrelation", v.lags(), "dispersion", v.dispersion(), "same_second", s.SameSecond,
		"same_second_expected", s.SameSecondExpected, "gap_work_correlation", s.GapWork, "powers_of_two", v.PowersOfTwo,
		"", output.ListOfRows("", "", output.Wide, []output.Row{figure("log", "powers_of_two", v.PowersOfTwo)}),
		"jobs_by_nodes", output.NewTable("", v.Sizes, func(z *logstats.Size) output.Row {
			return output.Row{output.Data("nodes", z.Nodes), output.Data("jobs", z.Jobs), output.Data("work", z.Work)}
		}), "assumptions", v.assumptions())...)
	r.Add("statistics", all)
}

// momentCells are what JSON and CSV say of moments.
func momentCells(m logstats.Moments) output.Row {
	return output.Row{output.Data("mean", m.Mean), output.Data("scv", m.SCV)}
}

// lags returns the dependence between jobs.
func (v *statistics) lags() *output.List {
	correlation := func(key, head string) output.Column { return output.Col(key, head).Decimals(3).Else("–") }
	const title = "Dependence between jobs so many places apart, and index of dispersion for intervals"
	return sections("", title, v.Lags, func(l *logstats.Lag) output.Row {
		return output.Row{section(fmt.Sprint("lag ", l.Lag)), output.Col("lag", "lag").JSON().Is(l.Lag),
			correlation("gaps", "gaps").Is(l.Gaps), correlation("gap_ranks", "of ranks").Is(l.GapRanks),
			correlation("work", "work").Is(l.Work), correlation("work_ranks", "of ranks").Is(l.WorkRanks),
			output.Col("dispersion", "dispersion").Digits(3).Else("–").Is(l.Dispersion)}
	})
}

// dispersion returns the indices of dispersion of all windows.
func (v *statistics) dispersion() *output.List {
	index := func(key string) output.Column { return output.Col(key, key).Digits(3).Else("–") }
	return sections("", "Index of dispersion by window", v.Windows, func(w *logstats.Dispersion) output.Row {
		return output.Row{section("window of " + w.Name), output.InTable("window").Is(w.Name), output.InJSON("window", w.Window),
			index("jobs").Is(w.Counts), index("work").Is(w.Work)}
	})
}

// summary adds what programs ask for most: moments and dependence of the gaps, jobs by hour of the day, and jobs by day of
// the week. The days begin with Monday, or with the first day of a log without dates.
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
	// named are the cells of an hour of the day, a day of the week or a month.
	named := func(what, key string, name any, r *logstats.Rate) output.Row {
		return append(figure("jobs per hour by "+what, name, r.PerHour()), output.InJSON(key, name), output.InJSON("jobs", r.Jobs),
			output.InJSON("hours", r.Hours))
	}
	var hours, days, months, loads []output.Row
	for i := range v.Calendar.Hours {
		hours = append(hours, named("hour", "hour", i, &v.Calendar.Hours[i]))
	}
	for i := range v.Calendar.Days {
		days = append(days, named("weekday", "day", dayName(v.Statistics, i), &v.Calendar.Days[i]))
	}
	for i := range v.Calendar.Periods {
		p := &v.Calendar.Periods[i]
		months = append(months, append(named("month", "period", p.Name, &p.Rate), output.InJSON("load", p.Load)))
		loads = append(loads, v.loadRow(p))
	}
	wide := func(title string, rows []output.Row) *output.List {
		return output.ListOfRows("", title, output.Wide, rows)
	}
	*o = append(*o, output.Pairs("dated", v.Dated, "by_hour", wide("", hours), "by_weekday", wide("", days), "", v.week(),
		"by_month", wide("", months), "", wide("Jobs and load over time", loads))...)
}

// loadRow returns the load of a period; with a single period there is nothing to compare, and no table.
func (v *statistics) loadRow(p *logstats.Period) output.Row {
	row := figure("load by month", p.Name, p.Load)
	if len(v.Calendar.Periods) == 1 {
		return row
	}
	head := "days"
	if v.Dated {
		head = "month"
	}
	number := func(head string) output.Column { return output.InTable(head).Digits(3).Else("–") }
	return append(row, output.InTable(head).Is(p.Name), output.InTable("jobs").Is(p.Jobs), number("per day").Is(24*p.PerHour()),
		number("load").Is(p.Load))
}

// week returns the table of the jobs per hour on the days of the week and on all days.
func (v *statistics) week() *output.List {
	title := "Jobs per hour"
	if !v.Dated {
		title += ", days counted from the first submission"
	}
	all := append(v.Calendar.Week[:], v.Calendar.Hours)
	return &output.List{Title: title, Form: output.NoCSV, Len: len(all), Row: func(i int) output.Row {
		day := "all"
		if i < len(all)-1 {
			day = dayName(v.Statistics, i)
		}
		row := output.Row{output.InTable("hour").Is(day)}
		add := func(head string, from, to int) {
			var part logstats.Rate
			for _, r := range all[i][from:to] {
				part.Add(r)
			}
			row = append(row, output.InTable(head).Digits(3).Else("–").Is(part.PerHour()))
		}
		for h := 0; h < len(v.Calendar.Hours); h += dayParts {
			add(fmt.Sprintf("%d–%d", h, h+dayParts), h, h+dayParts)
		}
		add("day", 0, len(v.Calendar.Hours))
		return row
	}}
}

// assumptions returns what the log says of the assumptions of chains.
func (v *statistics) assumptions() *output.List {
	const title = "What chains assume, and what the log says of it"
	return output.NewList("", title, output.Wide, v.Assumptions, func(a *logstats.Assumption) output.Row {
		return append(figure("assumption "+a.Name, string(a.Verdict), a.Effect), output.InJSON("assumption", a.Name),
			output.Col("claim", "assumption").JSON().Is(a.Claim), output.InJSON("verdict", string(a.Verdict)),
			output.InTable("verdict").Is(verdictWords(a.Verdict)),
			output.InJSON("effect", a.Effect), output.InJSON("p", a.P), output.InJSON("shown_by", a.Shown),
			output.InTable("shown by").Is(shownWords(a)))
	})
}

// verdictWords writes the verdict on an assumption. No test proves an assumption: it may only fail to refute it.
func verdictWords(v logstats.Verdict) string {
	if v == logstats.Holds {
		return "not refuted"
	}
	return string(v)
}

// shownWords are the figures that show a verdict. Of an assumption that is not refuted they may be large by chance.
func shownWords(a *logstats.Assumption) string {
	if a.Verdict == logstats.Holds && words.Finite(a.P) {
		return fmt.Sprintf("%s; chance could explain it (p = %s)", a.Shown, words.Round(a.P, 2))
	}
	return a.Shown
}

// The series of figures.
const (
	jobSeries = iota
	workSeries
)

// arrivalPanels draws when jobs come: by hour, by day of the week and by month. There are none of a log without a calendar, and
// by month none of a log of one month.
func arrivalPanels(s *logstats.Statistics) []chart.Panel {
	if s.Calendar == nil {
		return nil
	}
	jobs, of := chart.Line{Series: jobSeries}, "after the first submission"
	if s.Dated {
		of = "of the day"
	}
	hours := chart.Panel{Title: "By hour of the day", XLabel: "hour " + of, YLabel: "jobs per hour", FromZero: true}
	days := chart.Panel{Title: "By day of the week", XLabel: "day", YLabel: "jobs per hour", FromZero: true}
	for h := 0.; h <= 24; h += 6 {
		hours.XNames = append(hours.XNames, chart.Named{At: h, Name: fmt.Sprint(h)})
	}
	for d := range 7 {
		name, _ := strings.CutPrefix(dayName(s, d), "day ")
		days.XNames = append(days.XNames, chart.Named{At: float64(d) + .5, Name: name[:min(3, len(name))]})
	}
	for i, r := range s.Calendar.Hours {
		step(&hours, jobs, float64(i), 1, r.PerHour())
	}
	for i, r := range s.Calendar.Days {
		step(&days, jobs, float64(i), 1, r.PerHour())
	}
	panels := []chart.Panel{hours, days}
	if len(s.Calendar.Periods) > 1 {
		months := chart.Panel{Title: "By month", XLabel: "day of the log", YLabel: "times the mean", FromZero: true}
		drawMonths(&months, s)
		panels = append(panels, months)
	}
	return panels
}

// dependencePanels draws how jobs depend on each other.
func dependencePanels(s *logstats.Statistics) []chart.Panel {
	jobs, work := chart.Line{Series: jobSeries}, chart.Line{Series: workSeries}
	windows := chart.Panel{Title: "Index of dispersion by window", XLabel: "window [h]", YLabel: "index of dispersion (Poisson: 1)",
		MayLogX: true, MayLog: true, FromZero: true}
	intervals := chart.Panel{Title: "Index of dispersion for intervals", XLabel: "gaps in a row",
		YLabel: "index (constant if independent)", MayLogX: true, FromZero: true}
	ranks := chart.Panel{Title: "Autocorrelation of ranks", XLabel: "lag [jobs]", YLabel: "correlation", MayLogX: true,
		HasRule: true, FromZero: true}
	for _, w := range s.Windows {
		windows.Add(jobs, w.Window/3600, w.Counts)
		windows.Add(work, w.Window/3600, w.Work)
	}
	for _, l := range s.Lags {
		intervals.Add(jobs, float64(l.Lag), l.Dispersion)
		ranks.Add(jobs, float64(l.Lag), l.GapRanks)
		ranks.Add(work, float64(l.Lag), l.WorkRanks)
	}
	return []chart.Panel{windows, intervals, ranks}
}

// sizePanel draws which shares of the jobs and of their work come from jobs up to a size, in a unit: node, CPU or GPU.
func sizePanel(s *logstats.Statistics, unit string) chart.Panel {
	jobs, work := chart.Line{Series: jobSeries}, chart.Line{Series: workSeries}
	sizes := chart.Panel{Title: "Jobs and work up to a size", XLabel: unit + "s", YLabel: "share of jobs, of work",
		MayLogX: true, FromZero: true}
	for _, z := range s.Sizes {
		ofJobs, ofWork := s.UpTo(float64(z.Nodes))
		sizes.Add(jobs, float64(z.Nodes), ofJobs)
		sizes.Add(work, float64(z.Nodes), ofWork)
	}
	return sizes
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
