package allocatecmd

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/validate/experiment/days"
)

// result lays out the studies: one as it is, several under each other.
func (a *results) result() *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version},
		{Name: output.TimeUnit, Value: "s"}}}
	if len(a.studies) == 1 {
		a.studies[0].describe(&r.JSON, a.confidence)
		a.studies[0].tables(r, "", a.confidence)
	} else {
		all := []output.Object{}
		for _, s := range a.studies {
			var o output.Object
			s.describe(&o, a.confidence)
			all = append(all, o)
			s.tables(r, s.study.Title+": ", a.confidence)
		}
		r.JSON.Add("studies", all)
	}
	r.CSV = a.csv()
	if a.log != "" {
		r.Notes = append(r.Notes, "Sizes in the log are taken for average parallelism; sigma is drawn between 0 and 2.")
	}
	return r
}

// describe adds what came of a study to an object.
func (s *studyResult) describe(o *output.Object, confidence float64) {
	if s.study.Title != "" {
		o.Add("title", s.study.Title)
	}
	o.Add("nodes", s.study.Nodes)
	if !s.simulated() {
		var lines []output.Object
		for _, l := range s.lines() {
			lines = append(lines, output.Object{{Name: "series", Value: l.name}, {Name: l.axis, Value: l.x},
				{Name: l.value, Value: l.y}})
		}
		o.Add("curves", lines)
		return
	}
	results := []output.Object{}
	for i := range s.rows {
		results = append(results, s.rows[i].object())
	}
	o.Add("results", results)
	if best := s.optima(confidence); best != nil {
		all := []output.Object{}
		for _, b := range best {
			all = append(all, output.Object{{Name: "policy", Value: b.entry.Text}, {Name: "load", Value: b.load},
				{Name: "parameter", Value: b.at}, {Name: "low", Value: b.low}, {Name: "high", Value: b.high},
				{Name: s.study.Optimum, Value: b.value}})
		}
		o.Add("optima", all)
	}
}

// object is a row as JSON.
func (r *row) object() output.Object {
	o := model.PolicyObject(r.Policy)
	if r.entry.Name != r.entry.Text {
		o.Add("name", r.entry.Name)
	}
	if r.hasParameter {
		o.Add("parameter", r.parameter)
	}
	o.Add(measure.OfferedLoad, r.Load)
	o.Add("days", r.Days)
	o.Add("jobs", r.Jobs)
	var intervals output.Object
	for _, m := range days.Measures() {
		v := r.Of(m.Name)
		if math.IsNaN(v.Mean) {
			continue // of no jobs at all
		}
		o.Add(m.Name, v.Mean)
		if !math.IsInf(v.HalfWidth, 0) && !math.IsNaN(v.HalfWidth) {
			intervals.Add(m.Name, output.Object{{Name: "low", Value: v.Low}, {Name: "high", Value: v.High}})
		}
	}
	if len(intervals) > 0 {
		o.Add("intervals", intervals)
	}
	o.Add("seconds", r.Seconds)
	return o
}

// csv is one row for each policy and load, or for each point of a curve.
func (a *results) csv() [][]string {
	simulated := slices.ContainsFunc(a.studies, (*studyResult).simulated)
	several := len(a.studies) > 1
	columns := []string{"series", "x", "value"}
	if simulated {
		columns = []string{"policy", "parameter", measure.OfferedLoad, "days", "jobs"}
		for _, m := range days.Measures() {
			columns = append(columns, m.Name, m.Name+"_low", m.Name+"_high")
		}
	}
	if several {
		columns = append([]string{"study"}, columns...)
	}
	all := [][]string{columns}
	add := func(s *studyResult, row []string) {
		if several {
			row = append([]string{s.study.Title}, row...)
		}
		all = append(all, row)
	}
	for _, s := range a.studies {
		if simulated {
			for i := range s.rows {
				add(s, s.rows[i].cells())
			}
			continue
		}
		for _, l := range s.lines() {
			for i, x := range l.x {
				add(s, []string{l.name, output.Shortest(x), output.Shortest(l.y[i])})
			}
		}
	}
	return all
}

// cells is a row of the CSV; what does not exist is empty.
func (r *row) cells() []string {
	row := []string{r.Policy.String(), "", output.Shortest(r.Load), strconv.Itoa(r.Days), strconv.Itoa(r.Jobs)}
	if r.hasParameter {
		row[1] = output.Shortest(r.parameter)
	}
	for _, m := range days.Measures() {
		v := r.Of(m.Name)
		for _, x := range []float64{v.Mean, v.Low, v.High} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				row = append(row, "")
			} else {
				row = append(row, output.Shortest(x))
			}
		}
	}
	return row
}

// tables adds what people read: all rows, the best values of a parameter, and which policy is best.
func (s *studyResult) tables(r *cli.Result, prefix string, confidence float64) {
	if !s.simulated() {
		r.Tables = append(r.Tables, s.curveTable())
		return
	}
	best := s.optima(confidence)
	if best == nil {
		r.Tables = append(r.Tables, s.table(confidence))
	} else {
		r.Tables = append(r.Tables, s.optimaTable(best))
	}
	if s.study.Parameter == nil && len(s.study.Loads) == 1 && len(s.rows) > 1 {
		r.Notes = append(r.Notes, prefix+s.bestSentence(confidence))
	}
}

// headline tells what was simulated.
func (s *studyResult) headline(confidence float64) string {
	var parts []string
	if s.study.Title != "" {
		parts = append(parts, s.study.Title)
	}
	parts = append(parts, output.Count(s.study.Nodes, "node"))
	if len(s.rows) > 0 {
		days := "1 day"
		if n := s.rows[0].Days; n != 1 {
			days = output.Count(n, "day")
		}
		parts = append(parts, days)
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; ± half of %s %% intervals", output.Shortest(100*confidence))
}

func (s *studyResult) table(confidence float64) output.Table {
	t := output.Table{Title: s.headline(confidence), Columns: []output.Column{{Name: "policy"}}}
	if s.study.Parameter != nil {
		t.Columns = append(t.Columns, output.Column{Name: s.study.Parameter.Name, Number: true})
	}
	extra := []string{"useful", "cluster size", "CV", "slowdown p50", "bounded mean"}
	for _, name := range []string{"load", "utilization", "useful", "response [s]", "waiting [s]",
		"cluster size", "CV", "slowdown p50", "slowdown p90", "bounded mean"} {
		t.Columns = append(t.Columns, output.Column{Name: name, Number: true, Extra: slices.Contains(extra, name)})
	}
	for i := range s.rows {
		row := &s.rows[i]
		cells := []string{row.entry.Name}
		switch {
		case row.hasParameter:
			cells = append(cells, output.Shortest(row.parameter))
		case s.study.Parameter != nil:
			cells = append(cells, "")
		}
		cells = append(cells, output.Round(row.Load, 3), row.near(measure.Utilization, 3),
			row.near(measure.UsefulUtilization, 3), row.near(measure.MeanResponseTime, 4), row.near(measure.MeanWaitingTime, 3),
			row.near(measure.MeanClusterSize, 3),
			row.near("cv_cluster_size", 3), row.near("p50_slowdown", 3), row.near("p90_slowdown", 3),
			row.near("mean_bounded_slowdown", 3))
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// near writes a measure with half the width of its interval.
func (r *row) near(name string, digits int) string {
	v := r.Of(name)
	if math.IsNaN(v.Mean) {
		return ""
	}
	text := output.Round(v.Mean, digits)
	if math.IsInf(v.HalfWidth, 0) || math.IsNaN(v.HalfWidth) {
		return text
	}
	if v.HalfWidth < 1e-6*math.Abs(v.Mean) { // rounding
		return text + " ±0"
	}
	return text + " ±" + output.Round(v.HalfWidth, 2)
}

// bestSentence says which policy is best, and from which others it does not differ significantly.
func (s *studyResult) bestSentence(confidence float64) string {
	outcomes := make([]days.Outcome, len(s.rows))
	for i := range s.rows {
		outcomes[i] = s.rows[i].Outcome
	}
	var parts []string
	for _, q := range []struct {
		what, name string
		digits     int
	}{{"shortest mean response time", measure.MeanResponseTime, 4},
		{"smallest p90 of the slowdown", measure.P90Slowdown, 3}} {
		best, tied := days.Best(outcomes, q.name, false, confidence)
		text := fmt.Sprintf("%s: %s (%s)", q.what, s.rows[best].entry.Name, output.Round(outcomes[best].Of(q.name).Mean,
			q.digits))
		var others []string
		for _, i := range tied {
			if i != best {
				others = append(others, s.rows[i].entry.Name)
			}
		}
		if len(others) > 0 {
			text += ", from which " + strings.Join(others, " and ") + differs(len(others))
		}
		parts = append(parts, text)
	}
	sentence := strings.Join(parts, "; ") + "."
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// differs ends a sentence about n policies.
func differs(n int) string {
	if n == 1 {
		return " does not differ significantly"
	}
	return " do not differ significantly"
}

// optimum is the best value of the parameter of a policy at a load, and the range in which it may lie.
type optimum struct {
	entry                modelfile.Strategy
	load                 float64
	at, low, high, value float64
}

// optima looks for the best values, policy by policy and load by load; nil if the study does not ask for them.
func (s *studyResult) optima(confidence float64) []optimum {
	m, ok := measure.Named(s.study.Optimum)
	if !ok {
		return nil
	}
	var all []optimum
	for from := 0; from < len(s.rows); {
		to := from + 1
		for to < len(s.rows) && s.rows[to].entry == s.rows[from].entry && s.rows[to].Load == s.rows[from].Load {
			to++
		}
		if group := s.rows[from:to]; group[0].hasParameter {
			outcomes := make([]days.Outcome, len(group))
			for i := range group {
				outcomes[i] = group[i].Outcome
			}
			best, tied := days.Best(outcomes, m.Name, true, confidence)
			o := optimum{group[0].entry, group[0].Load, group[best].parameter, math.Inf(1), math.Inf(-1),
				outcomes[best].Of(m.Name).Mean}
			for _, i := range tied {
				o.low, o.high = math.Min(o.low, group[i].parameter), math.Max(o.high, group[i].parameter)
			}
			all = append(all, o)
		}
		from = to
	}
	place := func(o optimum) int { return slices.Index(s.study.Strategies, o.entry) }
	slices.SortStableFunc(all, func(a, b optimum) int { return place(a) - place(b) })
	return all
}

func (s *studyResult) optimaTable(best []optimum) output.Table {
	m, _ := measure.Named(s.study.Optimum)
	name := s.study.Parameter.Name
	t := output.Table{Title: s.study.Title, Columns: []output.Column{{Name: "policy"}, {Name: "load", Number: true},
		{Name: "best " + name, Number: true}, {Name: "from", Number: true}, {Name: "to", Number: true},
		{Name: m.Title, Number: true}}}
	for _, b := range best {
		t.Rows = append(t.Rows, []string{b.entry.Name, output.Round(b.load, 3), output.Shortest(b.at),
			output.Shortest(b.low), output.Shortest(b.high), output.Round(b.value, 4)})
	}
	return t
}

// curveTable shows some points of curves that are not simulated.
func (s *studyResult) curveTable() output.Table {
	lines := s.lines()
	t := output.Table{Title: s.study.Title, Columns: []output.Column{{Name: lines[0].axis, Number: true}}}
	for _, l := range lines {
		t.Columns = append(t.Columns, output.Column{Name: l.name, Number: true})
	}
	every := 1 + (len(lines[0].x)-1)/output.MostRows
	for i := 0; i < len(lines[0].x); i += every {
		row := []string{output.Round(lines[0].x[i], 4)}
		for _, l := range lines {
			row = append(row, output.Round(l.y[i], 4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
