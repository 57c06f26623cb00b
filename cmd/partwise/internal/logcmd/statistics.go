package logcmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/logstats"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
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

// addStatistics adds the statistics of a log.
func addStatistics(r *output.Result, s *logstats.Statistics) {
	if s == nil {
		r.Note("The log has too few jobs to tell how they come.")
		return
	}
	v := &statistics{s}
	v.summary(&r.Object)
	moments := []logstats.Moments{v.Gaps, v.Work}
	all := output.Object{}
	for i, name := range []string{"gaps", "work"} {
		all.Add(name, output.Object{{Name: "mean", Value: moments[i].Mean}, {Name: "scv", Value: moments[i].SCV}})
	}
	all.Add("", section(func(i int) any { return all[i].Name }, output.List{Len: len(moments), Columns: []output.Column{
		{Key: "mean", Value: output.Of(moments, func(m *logstats.Moments) any { return m.Mean })},
		{Key: "scv", Value: output.Of(moments, func(m *logstats.Moments) any { return m.SCV })}}}))
	if v.Calendar != nil {
		v.calendar(&all)
	}
	v.dependence(&all)
	all.Add("same_second", s.SameSecond)
	all.Add("same_second_expected", s.SameSecondExpected)
	all.Add("gap_work_correlation", s.GapWork)
	all.Add("powers_of_two", v.PowersOfTwo)
	all.Add("", section(constant("log"), output.List{Len: 1, Columns: []output.Column{{Key: "powers_of_two", Value: constant(v.PowersOfTwo)}}}))
	all.Add("jobs_by_nodes", &output.List{Len: len(v.Sizes), Form: output.NoCSV, Columns: []output.Column{
		{Key: "nodes", Value: output.Of(v.Sizes, func(z *logstats.Size) any { return z.Nodes })},
		{Key: "jobs", Value: output.Of(v.Sizes, func(z *logstats.Size) any { return z.Jobs })},
		{Key: "work", Value: output.Of(v.Sizes, func(z *logstats.Size) any { return z.Work })}}})
	all.Add("assumptions", v.assumptions())
	r.Add("statistics", all)
}

// statistics are those of a log, laid out.
type statistics struct{ *logstats.Statistics }

// summary adds what programs ask for most: moments and dependence of the gaps, and jobs by hour of the day and by day of
// the week, from Monday on or from the first day of a log without dates.
func (v *statistics) summary(o *output.Object) {
	gaps := output.Object{{Name: "mean", Value: v.Gaps.Mean}, {Name: "scv", Value: v.Gaps.SCV}}
	if len(v.Lags) > 0 && v.Lags[0].Lag == 1 {
		gaps.Add("lag1", v.Lags[0].Gaps)
	}
	for _, w := range v.Windows {
		if name := map[float64]string{3600: "idc_1h", 86400: "idc_1d"}[w.Window]; name != "" {
			gaps.Add(name, w.Counts)
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

// dayParts is the number of hours of a column of the table of the week.
const dayParts = 3

// calendar adds arrivals by hour, weekday and month.
func (v *statistics) calendar(o *output.Object) {
	c := v.Calendar
	day := func(i int) any { return dayName(v.Statistics, i) }
	hour := func(i int) any { return i }
	rates := func(key, section string, name func(i int) any, all []logstats.Rate) *output.List {
		return &output.List{Len: len(all), Columns: rowOf(section, name, output.Of(all, func(r *logstats.Rate) any { return r.PerHour() }),
			output.Column{Key: key, OnlyJSON: true, Value: name},
			output.Column{Key: "jobs", OnlyJSON: true, Value: output.Of(all, func(r *logstats.Rate) any { return r.Jobs })},
			output.Column{Key: "hours", OnlyJSON: true, Value: output.Of(all, func(r *logstats.Rate) any { return r.Hours })})}
	}
	o.Add("dated", v.Dated)
	o.Add("by_hour", rates("hour", "jobs per hour by hour", hour, c.Hours[:]))
	o.Add("by_weekday", rates("day", "jobs per hour by weekday", day, c.Days[:]))
	o.Add("", v.week())
	of := func(quantity func(p *logstats.Period) any) func(int) any { return output.Of(c.Periods, quantity) }
	name := of(func(p *logstats.Period) any { return p.Name })
	load := output.Column{Key: "load", OnlyJSON: true, Text: output.Digits(3), None: "–", Value: of(func(p *logstats.Period) any { return p.Load })}
	jobs := output.Column{Key: "jobs", OnlyJSON: true, Value: of(func(p *logstats.Period) any { return p.Jobs })}
	months := &output.List{Len: len(c.Periods), Title: "Jobs and load over time",
		Columns: rowOf("jobs per hour by month", name, of(func(p *logstats.Period) any { return p.PerHour() }),
			output.Column{Key: "period", OnlyJSON: true, Value: name}, jobs,
			output.Column{Key: "hours", OnlyJSON: true, Value: of(func(p *logstats.Period) any { return p.Hours })}, load)}
	o.Add("by_month", months)
	loads := &output.List{Len: len(c.Periods), Title: "Jobs and load over time", Columns: rowOf("load by month", name, load.Value)}
	if len(c.Periods) > 1 {
		jobs.Name, load.Name = "jobs", "load"
		loads.Columns = append(loads.Columns, output.Column{Name: map[bool]string{true: "month", false: "days"}[v.Dated], Value: name}, jobs,
			output.Column{Name: "per day", Text: output.Digits(3), None: "–", Value: of(func(p *logstats.Period) any { return 24 * p.PerHour() })}, load)
	}
	o.Add("", loads)
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

// dependence adds autocorrelations and indices of dispersion.
func (v *statistics) dependence(o *output.Object) {
	column := func(key, name string, text func(any) string, of func(int) any) output.Column {
		return output.Column{Key: key, Name: name, Number: true, Text: text, None: "–", Value: of}
	}
	lag := func(of func(l *logstats.Lag) any) func(int) any { return output.Of(v.Lags, of) }
	window := func(of func(w *logstats.Dispersion) any) func(int) any { return output.Of(v.Windows, of) }
	o.Add("autocorrelation", section(lag(func(l *logstats.Lag) any { return fmt.Sprint("lag ", l.Lag) }), output.List{Len: len(v.Lags),
		Title: "Dependence between jobs so many places apart, and index of dispersion for intervals", Columns: []output.Column{
			{Key: "lag", Name: "lag", OnlyJSON: true, Value: lag(func(l *logstats.Lag) any { return l.Lag })},
			column("gaps", "gaps", output.Decimals(3), lag(func(l *logstats.Lag) any { return l.Gaps })),
			column("gap_ranks", "of ranks", output.Decimals(3), lag(func(l *logstats.Lag) any { return l.GapRanks })),
			column("work", "work", output.Decimals(3), lag(func(l *logstats.Lag) any { return l.Work })),
			column("work_ranks", "of ranks", output.Decimals(3), lag(func(l *logstats.Lag) any { return l.WorkRanks })),
			column("dispersion", "dispersion", output.Digits(3), lag(func(l *logstats.Lag) any { return l.Dispersion })),
		}}))
	length := window(func(w *logstats.Dispersion) any { return windowName(w.Window) })
	o.Add("dispersion", section(func(i int) any { return fmt.Sprint("window of ", length(i)) }, output.List{Len: len(v.Windows),
		Title: "Index of dispersion by window", Columns: []output.Column{{Name: "window", Value: length},
			{Key: "window", OnlyJSON: true, Value: window(func(w *logstats.Dispersion) any { return w.Window })},
			column("jobs", "jobs", output.Digits(3), window(func(w *logstats.Dispersion) any { return w.Counts })),
			column("work", "work", output.Digits(3), window(func(w *logstats.Dispersion) any { return w.Work })),
		}}))
}

// assumptions returns what the log says of the assumptions of chains.
func (v *statistics) assumptions() *output.List {
	of := func(quantity func(a *logstats.Assumption) any) func(int) any {
		return output.Of(v.Assumptions, quantity)
	}
	verdict := of(func(a *logstats.Assumption) any { return string(a.Verdict) })
	effect := of(func(a *logstats.Assumption) any { return a.Effect })
	return &output.List{Title: "What chains assume, and what the log says of it", Len: len(v.Assumptions), Columns: []output.Column{
		{Key: "section", OnlyCSV: true, Value: of(func(a *logstats.Assumption) any { return "assumption " + a.Name })},
		{Key: "name", OnlyCSV: true, Value: verdict}, {Key: "value", OnlyCSV: true, Value: effect},
		{Key: "assumption", OnlyJSON: true, Value: of(func(a *logstats.Assumption) any { return a.Name })},
		{Key: "claim", Name: "assumption", OnlyJSON: true, Value: of(func(a *logstats.Assumption) any { return a.Claim })},
		{Key: "verdict", Name: "verdict", OnlyJSON: true, Value: verdict},
		{Key: "effect", OnlyJSON: true, Value: effect},
		{Key: "p", OnlyJSON: true, Value: of(func(a *logstats.Assumption) any { return a.P })},
		{Key: "shown_by", Name: "shown by", OnlyJSON: true, Value: of(func(a *logstats.Assumption) any { return a.Shown })},
	}}
}

// line draws n points of a series.
func line(series, n int, point func(i int) (x, y float64)) chart.Line {
	l := chart.Line{Series: series}
	for i := range n {
		x, y := point(i)
		l.X, l.Y = append(l.X, x), append(l.Y, y)
	}
	return l
}

// steps draws values as steps of a series: step i from ends[i] to ends[i+1].
func steps(series int, ends []float64, value func(i int) float64) chart.Line {
	return line(series, 2*(len(ends)-1), func(i int) (x, y float64) { return ends[(i+1)/2], value(i / 2) })
}

// arrivalPanels draws when jobs come, and how they depend on each other, in series 0 (jobs) and 1 (work).
func arrivalPanels(s *logstats.Statistics) []chart.Panel {
	panel := func(title, x, y string, lines ...chart.Line) chart.Panel {
		return chart.Panel{Title: title, XLabel: x, YLabel: y, FromZero: true, Lines: lines}
	}
	hours, days, months, load := chart.Line{}, chart.Line{}, chart.Line{}, chart.Line{Series: 1}
	if c := s.Calendar; c != nil {
		numbers := make([]float64, len(c.Hours)+1)
		for i := range numbers {
			numbers[i] = float64(i)
		}
		hours = steps(0, numbers, func(i int) float64 { return c.Hours[i].PerHour() })
		days = steps(0, numbers[:len(c.Days)+1], func(i int) float64 { return c.Days[i].PerHour() })
		span := (s.Last - s.First) / 3600
		mean, all, at := float64(s.Jobs)/span, 0.0, []float64{0}
		for _, p := range c.Periods {
			all += p.Load * p.Hours / span
			at = append(at, at[len(at)-1]+p.Hours/24)
		}
		months = steps(0, at, func(i int) float64 { return c.Periods[i].PerHour() / mean })
		if all > 0 {
			load = steps(1, at, func(i int) float64 { return c.Periods[i].Load / all })
		}
	}
	of := map[bool]string{true: "of the day", false: "after the first submission"}[s.Dated]
	var hourNames, dayNames []chart.Named
	for h := 0.; h <= 24; h += 6 {
		hourNames = append(hourNames, chart.Named{At: h, Name: fmt.Sprint(h)})
	}
	for d := range weekdays {
		name, _ := strings.CutPrefix(dayName(s, d), "day ")
		dayNames = append(dayNames, chart.Named{At: float64(d) + .5, Name: name[:min(3, len(name))]})
	}
	lag := func(series int, of func(l *logstats.Lag) float64) chart.Line {
		return line(series, len(s.Lags), func(i int) (x, y float64) { return float64(s.Lags[i].Lag), of(&s.Lags[i]) })
	}
	window := func(series int, of func(w *logstats.Dispersion) float64) chart.Line {
		return line(series, len(s.Windows), func(i int) (x, y float64) { return s.Windows[i].Window / 3600, of(&s.Windows[i]) })
	}
	upTo := func(series int, of func(jobs, work float64) float64) chart.Line {
		return line(series, len(s.Sizes), func(i int) (x, y float64) {
			nodes := float64(s.Sizes[i].Nodes)
			return nodes, of(s.UpTo(nodes))
		})
	}
	panels := []chart.Panel{
		panel("By hour of the day", "hour "+of, "jobs per hour", hours),
		panel("By day of the week", "day", "jobs per hour", days),
		panel("By month", "day of the log", "times the mean", months, load),
		panel("Index of dispersion by window", "window [h]", "index of dispersion (Poisson: 1)",
			window(0, func(w *logstats.Dispersion) float64 { return w.Counts }), window(1, func(w *logstats.Dispersion) float64 { return w.Work })),
		panel("Index of dispersion for intervals", "gaps in a row", "index (constant if independent)",
			lag(0, func(l *logstats.Lag) float64 { return l.Dispersion })),
		panel("Autocorrelation of ranks", "lag [jobs]", "correlation",
			lag(0, func(l *logstats.Lag) float64 { return l.GapRanks }), lag(1, func(l *logstats.Lag) float64 { return l.WorkRanks })),
		panel("Up to so many nodes", "nodes", "share of jobs, of work",
			upTo(0, func(jobs, _ float64) float64 { return jobs }), upTo(1, func(_, work float64) float64 { return work })),
	}
	for i := 3; i < len(panels); i++ {
		panels[i].MayLogX = true
	}
	panels[0].XNames, panels[1].XNames = hourNames, dayNames
	panels[3].MayLog, panels[5].HasRule = true, true
	return panels
}
