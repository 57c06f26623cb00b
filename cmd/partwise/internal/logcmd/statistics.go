package logcmd

import (
	"fmt"
	"strconv"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/logstats"
)

// weekdays are the days of the week; of a log without a date they are numbered.
var weekdays = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

func dayName(s *logstats.Statistics, i int) string {
	if s.Dated {
		return weekdays[i]
	}
	return "day " + strconv.Itoa(i+1)
}

// windowName says how long a window is.
func windowName(seconds float64) string {
	for _, u := range []struct {
		name    string
		seconds float64
	}{{"week", 7 * 86400}, {"day", 86400}, {"h", 3600}, {"min", 60}} {
		if n := seconds / u.seconds; n >= 1 {
			return output.Fixed(n, 0) + " " + u.name
		}
	}
	return output.Fixed(seconds, 0) + " s"
}

// number leaves out what is not finite.
func number(o *output.Object, name string, x float64) {
	if output.Finite(x) {
		o.Add(name, x)
	}
}

// AddStatistics adds the statistics of a log to a result in all its forms.
func AddStatistics(r *cli.Result, s *logstats.Statistics) {
	if s == nil {
		r.Notes = append(r.Notes, "The log has too few jobs to tell how they come.")
		return
	}
	v := &statistics{Statistics: s, to: r}
	var arrivals output.Object
	v.moments(&arrivals, "gaps", s.Gaps)
	v.moments(&arrivals, "work", s.Work)
	v.calendar(&arrivals)
	v.dependence(&arrivals)
	arrivals.Add("same_second", s.SameSecond)
	number(&arrivals, "same_second_expected", s.SameSecondExpected)
	number(&arrivals, "gap_work_correlation", s.GapWork)
	v.sizes(&arrivals)
	v.assumptions(&arrivals)
	v.summary(&r.JSON)
	r.JSON.Add("statistics", arrivals)
}

// summary adds what programs ask for most: moments and dependence of the gaps, and jobs by hour of the day and by day of
// the week, from Monday on or from the first day of a log without dates.
func (v *statistics) summary(o *output.Object) {
	gaps := output.Object{{Name: "mean", Value: v.Gaps.Mean}, {Name: "scv", Value: v.Gaps.SCV}}
	if len(v.Lags) > 0 && v.Lags[0].Lag == 1 {
		number(&gaps, "lag1", v.Lags[0].Gaps)
	}
	for _, w := range v.Windows {
		switch w.Window {
		case 3600:
			number(&gaps, "idc_1h", w.Counts)
		case 86400:
			number(&gaps, "idc_1d", w.Counts)
		}
	}
	o.Add("interarrival", gaps)
	if v.Calendar == nil {
		return
	}
	counts := func(rates []logstats.Rate) []int {
		all := make([]int, len(rates))
		for i, r := range rates {
			all[i] = r.Jobs
		}
		return all
	}
	o.Add("by_hour", counts(v.Calendar.Hours[:]))
	o.Add("by_weekday", counts(v.Calendar.Days[:]))
}

// statistics is a view of those of a log.
type statistics struct {
	*logstats.Statistics
	to *cli.Result
}

// csv adds a line of the CSV.
func (v *statistics) csv(section, name string, x float64) {
	if output.Finite(x) {
		v.to.CSV = append(v.to.CSV, []string{section, name, output.Shortest(x)})
	}
}

func (v *statistics) moments(o *output.Object, name string, m logstats.Moments) {
	o.Add(name, output.Object{{Name: "mean", Value: m.Mean}, {Name: "scv", Value: m.SCV}})
	v.csv(name, "mean", m.Mean)
	v.csv(name, "scv", m.SCV)
}

// dayParts is the number of hours of a column of the table of the week.
const dayParts = 3

// calendar lays out arrivals by hour, weekday and month.
func (v *statistics) calendar(o *output.Object) {
	c := v.Calendar
	if c == nil {
		return
	}
	o.Add("dated", v.Dated)
	var hours, days, periods []output.Object
	for h, r := range c.Hours {
		hours = append(hours, output.Object{{Name: "hour", Value: h}, {Name: "jobs", Value: r.Jobs},
			{Name: "hours", Value: r.Hours}})
		v.csv("jobs per hour by hour", strconv.Itoa(h), r.PerHour())
	}
	t := output.Table{Title: "Jobs per hour", Columns: []output.Column{{Name: "hour"}}}
	if !v.Dated {
		t.Title += ", days counted from the first submission"
	}
	for h := 0; h < len(c.Hours); h += dayParts {
		t.Columns = append(t.Columns, output.Column{Name: fmt.Sprintf("%d–%d", h, h+dayParts), Number: true})
	}
	t.Columns = append(t.Columns, output.Column{Name: "day", Number: true})
	row := func(name string, hours []logstats.Rate) {
		cells := []string{name}
		var all logstats.Rate
		for h := 0; h < len(hours); h += dayParts {
			var part logstats.Rate
			for _, r := range hours[h : h+dayParts] {
				part.Add(r)
			}
			all.Add(part)
			cells = append(cells, roundOrDash(part.PerHour(), 3))
		}
		t.Rows = append(t.Rows, append(cells, roundOrDash(all.PerHour(), 3)))
	}
	for d, r := range c.Days {
		days = append(days, output.Object{{Name: "day", Value: dayName(v.Statistics, d)}, {Name: "jobs", Value: r.Jobs},
			{Name: "hours", Value: r.Hours}})
		v.csv("jobs per hour by weekday", dayName(v.Statistics, d), r.PerHour())
		row(dayName(v.Statistics, d), c.Week[d][:])
	}
	row("all", c.Hours[:])
	o.Add("by_hour", hours)
	o.Add("by_weekday", days)
	v.to.Tables = append(v.to.Tables, t)
	months := output.Table{Title: "Jobs and load over time", Columns: []output.Column{{Name: "month"},
		{Name: "jobs", Number: true}, {Name: "per day", Number: true}, {Name: "load", Number: true}}}
	if !v.Dated {
		months.Columns[0].Name = "days"
	}
	for _, p := range c.Periods {
		q := output.Object{{Name: "period", Value: p.Name}, {Name: "jobs", Value: p.Jobs}, {Name: "hours", Value: p.Hours}}
		number(&q, "load", p.Load)
		periods = append(periods, q)
		v.csv("jobs per hour by month", p.Name, p.PerHour())
		v.csv("load by month", p.Name, p.Load)
		months.Rows = append(months.Rows, []string{p.Name, strconv.Itoa(p.Jobs), roundOrDash(24*p.PerHour(), 3),
			roundOrDash(p.Load, 3)})
	}
	o.Add("by_month", periods)
	if len(months.Rows) > 1 {
		v.to.Tables = append(v.to.Tables, months)
	}
}

func roundOrDash(x float64, digits int) string {
	if !output.Finite(x) {
		return "–"
	}
	return output.Round(x, digits)
}

// dependence lays out autocorrelations and indices of dispersion.
func (v *statistics) dependence(o *output.Object) {
	var byLag, byWindow []output.Object
	t := output.Table{Title: "Dependence between jobs so many places apart, and index of dispersion for intervals",
		Columns: []output.Column{{Name: "lag", Number: true}, {Name: "gaps", Number: true}, {Name: "of ranks", Number: true},
			{Name: "work", Number: true}, {Name: "of ranks", Number: true}, {Name: "dispersion", Number: true}}}
	for _, l := range v.Lags {
		q := output.Object{{Name: "lag", Value: l.Lag}}
		for _, x := range []struct {
			name string
			x    float64
		}{{"gaps", l.Gaps}, {"gap_ranks", l.GapRanks}, {"work", l.Work}, {"work_ranks", l.WorkRanks},
			{"dispersion", l.Dispersion}} {
			number(&q, x.name, x.x)
			v.csv("lag "+strconv.Itoa(l.Lag), x.name, x.x)
		}
		byLag = append(byLag, q)
		t.Rows = append(t.Rows, []string{strconv.Itoa(l.Lag), output.Fixed(l.Gaps, 3), output.Fixed(l.GapRanks, 3),
			output.Fixed(l.Work, 3), output.Fixed(l.WorkRanks, 3), output.Round(l.Dispersion, 3)})
	}
	o.Add("autocorrelation", byLag)
	w := output.Table{Title: "Index of dispersion by window", Columns: []output.Column{{Name: "window"},
		{Name: "jobs", Number: true}, {Name: "work", Number: true}}}
	for _, d := range v.Windows {
		q := output.Object{{Name: "window", Value: d.Window}}
		number(&q, "jobs", d.Counts)
		number(&q, "work", d.Work)
		byWindow = append(byWindow, q)
		v.csv("window of "+windowName(d.Window), "jobs", d.Counts)
		v.csv("window of "+windowName(d.Window), "work", d.Work)
		w.Rows = append(w.Rows, []string{windowName(d.Window), roundOrDash(d.Counts, 3), roundOrDash(d.Work, 3)})
	}
	o.Add("dispersion", byWindow)
	for _, t := range []output.Table{t, w} {
		if len(t.Rows) > 0 {
			v.to.Tables = append(v.to.Tables, t)
		}
	}
}

// sizes lays out the numbers of nodes that jobs have.
func (v *statistics) sizes(o *output.Object) {
	o.Add("powers_of_two", v.PowersOfTwo)
	v.csv("log", "powers_of_two", float64(v.PowersOfTwo))
	var all []output.Object
	for _, z := range v.Sizes {
		all = append(all, output.Object{{Name: "nodes", Value: z.Nodes}, {Name: "jobs", Value: z.Jobs},
			{Name: "work", Value: z.Work}})
	}
	o.Add("jobs_by_nodes", all)
}

// assumptions lays out what the log says of those of a chain.
func (v *statistics) assumptions(o *output.Object) {
	t := output.Table{Title: "What chains assume, and what the log says of it", Columns: []output.Column{{Name: "assumption"},
		{Name: "verdict"}, {Name: "shown by"}}}
	var all []output.Object
	for _, a := range v.Assumptions {
		q := output.Object{{Name: "assumption", Value: a.Name}, {Name: "claim", Value: a.Claim},
			{Name: "verdict", Value: string(a.Verdict)}}
		number(&q, "effect", a.Effect)
		number(&q, "p", a.P)
		q.Add("shown_by", a.Shown)
		all = append(all, q)
		v.csv("assumption "+a.Name, string(a.Verdict), a.Effect)
		t.Rows = append(t.Rows, []string{a.Claim, string(a.Verdict), a.Shown})
	}
	o.Add("assumptions", all)
	v.to.Tables = append(v.to.Tables, t)
}

// arrivalPanels draws when jobs come, and how they depend on each other, in series 0 (jobs) and 1 (work).
func arrivalPanels(s *logstats.Statistics) []chart.Panel {
	panel := func(title, x, y string, lines ...chart.Line) chart.Panel {
		return chart.Panel{Title: title, XLabel: x, YLabel: y, FromZero: true, Lines: lines}
	}
	hours, days, months, load := chart.Line{}, chart.Line{}, chart.Line{}, chart.Line{Series: 1}
	if c := s.Calendar; c != nil {
		for h, r := range c.Hours {
			hours.X, hours.Y = append(hours.X, float64(h), float64(h+1)), append(hours.Y, r.PerHour(), r.PerHour())
		}
		for d, r := range c.Days {
			days.X, days.Y = append(days.X, float64(d), float64(d+1)), append(days.Y, r.PerHour(), r.PerHour())
		}
		at := 0.0
		mean := float64(s.Jobs) / (s.Last - s.First) * 3600
		all := 0.0
		for _, p := range c.Periods {
			all += p.Load * p.Hours * 3600 / (s.Last - s.First)
		}
		for _, p := range c.Periods {
			from, to := at/24, (at+p.Hours)/24
			months.X, months.Y = append(months.X, from, to), append(months.Y, p.PerHour()/mean, p.PerHour()/mean)
			if all > 0 {
				load.X, load.Y = append(load.X, from, to), append(load.Y, p.Load/all, p.Load/all)
			}
			at += p.Hours
		}
	}
	first, last := "0 is midnight", "0 is Monday"
	if !s.Dated {
		first, last = "0 is the first submission", "0 is the first day"
	}
	intervals := chart.Line{}
	gaps, works := chart.Line{}, chart.Line{Series: 1}
	for _, l := range s.Lags {
		k := float64(l.Lag)
		intervals.X, intervals.Y = append(intervals.X, k), append(intervals.Y, l.Dispersion)
		gaps.X, gaps.Y = append(gaps.X, k), append(gaps.Y, l.GapRanks)
		works.X, works.Y = append(works.X, k), append(works.Y, l.WorkRanks)
	}
	counts, work := chart.Line{}, chart.Line{Series: 1}
	for _, d := range s.Windows {
		counts.X, counts.Y = append(counts.X, d.Window/3600), append(counts.Y, d.Counts)
		work.X, work.Y = append(work.X, d.Window/3600), append(work.Y, d.Work)
	}
	autocorrelation := panel("Autocorrelation of ranks", "lag [jobs]", "correlation", gaps, works)
	dispersion := panel("Index of dispersion by window", "window [h]", "1: Poisson", counts, work)
	byIntervals := panel("Index of dispersion for intervals", "gaps in a row", "constant: renewal", intervals)
	autocorrelation.HasRule, autocorrelation.MayLogX = true, true
	dispersion.MayLog, dispersion.MayLogX, byIntervals.MayLogX = true, true, true
	var sizeJobs, sizeWork chart.Line
	for _, z := range s.Sizes {
		jobs, work := s.UpTo(float64(z.Nodes))
		sizeJobs.X, sizeJobs.Y = append(sizeJobs.X, float64(z.Nodes)), append(sizeJobs.Y, jobs)
		sizeWork.X, sizeWork.Y = append(sizeWork.X, float64(z.Nodes)), append(sizeWork.Y, work)
	}
	sizeWork.Series = 1
	sizes := panel("Up to so many nodes", "nodes", "share", sizeJobs, sizeWork)
	sizes.MayLogX = true
	return []chart.Panel{
		panel("By hour of the day", "hour, "+first, "jobs per hour", hours),
		panel("By day of the week", "day, "+last, "jobs per hour", days),
		panel("By month", "day of the log", "over the mean", months, load),
		dispersion, byIntervals, autocorrelation, sizes,
	}
}
