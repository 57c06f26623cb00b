package points

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/decide"
)

// PanelKind is a kind of panel that points are drawn in.
type PanelKind struct {
	name string
	chart.Panel
	drawn []output.Column // of the [Row]s of points, the first solid, the second dashed
}

// panelKinds is the table of all kinds. An axis without a label has the time unit as its label.
var panelKinds = []PanelKind{
	{"response", chart.Panel{Title: "Mean response time", MayLog: true}, []output.Column{dynamicTime, staticTime}},
	{"dynamic", chart.Panel{Title: "Mean response time, dynamic partitioning", MayLog: true}, []output.Column{dynamicTime}},
	{"ratio", ratioPanel("Above the line at 1 dynamic partitioning is faster"), []output.Column{ratio}},
	{"repartition", chart.Panel{Title: "Time spent repartitioning", YLabel: "share of time", FromZero: true}, []output.Column{repartitioned}},
}

// ratioPanel returns a panel for the ratio of response times under the best static and under dynamic partitioning.
func ratioPanel(title string) chart.Panel {
	return chart.Panel{Title: title, YLabel: "response time, static / dynamic", HasRule: true, Rule: 1}
}

// mostPairs is how many series a panel shows with both strokes; more pairs of lines cannot be told apart.
const mostPairs = 4

// readable returns kinds that show no more pairs of lines than can be told apart. With too many series, a panel of both policies
// shows dynamic partitioning only, if the ratio beside it compares static partitioning with that.
func readable(kinds []PanelKind, series int) []PanelKind {
	all := slices.Clone(kinds)
	compared := slices.ContainsFunc(kinds, func(k PanelKind) bool { return k.name == "ratio" })
	for i := range all {
		if series > mostPairs && compared && all[i].name == "response" {
			all[i], _ = panelKind("dynamic")
		}
	}
	return all
}

// defaultPanels are drawn if nobody says which.
const defaultPanels = "ratio,response,repartition"

var panelNames, panelKind = values.ByName("unknown panel", panelKinds, func(p PanelKind) string { return p.name })

// Panels binds --panels.
func Panels(to *[]PanelKind) cli.Flag {
	return cli.Value(to, "panels", parsePanels, cli.About{Default: defaultPanels,
		Usage: "draw the panels of `LIST`: " + strings.Join(panelNames, ", ")})
}

var parsePanels = values.ListOf(panelKind)

// Drawing is a picture of panels that a command is asked for.
type Drawing struct {
	chart.Picture
	Shows  string // for the help
	panels []PanelKind
}

// Flags returns --plot and --panels.
func (d *Drawing) Flags() []cli.Flag {
	return []cli.Flag{cli.Plot(&d.Picture, d.Shows), Panels(&d.panels)}
}

// Figure returns the picture of studies, the panels of each in a row. Without kinds it has the usual panels, and for a study of
// one line one more with the ratios of its classes of jobs. Series of the same name
// have the same colour in all studies. The points are drawn over the loads, or over an axis if each series has one load.
func Figure(all []*Study, kinds []PanelKind) *chart.Figure {
	f := &chart.Figure{Heading: "Dynamic and static partitioning"}
	if len(all) == 1 {
		f.Title = all[0].Title
	}
	lines := make([][]line, len(all))
	for i, s := range all {
		lines[i] = s.lines()
		label := "offered load, as a share of the capacity"
		if s.DrawnOver() >= 0 {
			_, unit := s.Numbers(s.DrawnOver())
			label = axisTitle(s.Axes[s.DrawnOver()], unit, s.Unit())
		}
		if f.XLabel != "" && label != f.XLabel {
			label = "value"
		}
		f.XLabel = label
		if len(all) > 1 {
			f.Rows = append(f.Rows, s.Title)
		}
		if kinds == nil && len(all) == 1 && len(lines[i]) == 1 && len(s.classes()) > 0 {
			lines[i][0].name = allJobs
		}
		for _, l := range lines[i] {
			f.SeriesOf(l.name)
		}
	}
	if kinds == nil {
		kinds, _ = parsePanels(defaultPanels)
	}
	kinds = readable(kinds, len(f.Series))
	f.Lead = len(all) == 1
	for i, s := range all {
		for _, k := range kinds {
			if len(k.drawn) > 1 {
				f.Solid, f.Dashed = "dynamic", "best static"
			}
			f.Panels = append(f.Panels, k.panel(lines[i], f.Series, cmp.Or(s.Unit(), "time units of the series")))
		}
	}
	if len(f.Series) > 0 && f.Series[0] == allJobs {
		if p := byClass(f, &lines[0][0]); len(p.Lines) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// quantities are what settings mean, by patterns of their paths; CLASS is the name of a class in the path. Times have the unit of the models unless values have their own.
var quantities = []struct {
	path, words string
	isTime      bool
}{
	{"dynamic.overhead", "mean time of a repartition", true},
	{"dynamic.overhead.mean", "mean time of a repartition", true},
	{"jobs.demand.*mean", "mean run time on one node", true},
	{"jobs.demand.*scv", "squared coefficient of variation of run times", false},
	{`jobs.classes\[*].share`, "share of the class CLASS among all jobs", false},
	{"machine.nodes", "nodes", false},
}

// axisTitle returns the quantity of a setting with its unit; the path of a setting without a title is its title.
func axisTitle(setting, unit, timeUnit string) string {
	for _, q := range quantities {
		if ok, _ := path.Match(q.path, setting); ok { // the patterns are well-formed
			if q.isTime {
				unit = cmp.Or(unit, timeUnit)
			}
			_, class, _ := strings.Cut(setting, "[")
			class, _, _ = strings.Cut(class, "]")
			return output.InUnit(strings.Replace(q.words, "CLASS", class, 1), unit)
		}
	}
	return output.InUnit(setting, unit)
}

// allJobs is the name of the only line of a study beside those of its classes of jobs.
const allJobs = "all jobs"

// byClass returns a panel with the ratio of each class of jobs, whose names become series of the figure.
func byClass(f *chart.Figure, l *line) chart.Panel {
	p := ratioPanel("Ratio by class")
	for _, point := range l.points {
		for _, c := range point.Decision.Compare().Classes() {
			p.Add(chart.Line{Series: f.SeriesOf(c.Name)}, point.Load, c.Ratio())
		}
	}
	return p
}

// panel returns a panel with lines, whose colours follow the names of all series.
func (k *PanelKind) panel(lines []line, series []string, unit string) chart.Panel {
	p := k.Panel
	p.YLabel = cmp.Or(p.YLabel, "mean response time ["+unit+"]")
	for _, l := range lines {
		of := slices.Index(series, l.name)
		for i, column := range k.drawn {
			p.Lines = append(p.Lines, l.drawn(column, of, i > 0))
		}
	}
	return p
}

// DrawnOver returns the axis that the points are drawn over, the last axis of numbers or times; -1 for the loads.
func (s *Study) DrawnOver() int {
	for i := len(s.Axes) - 1; i >= 0 && s.Loads == 1; i-- {
		differs := slices.ContainsFunc(s.Series, func(one Series) bool { return one.At[i] != s.Series[0].At[i] })
		if x, _ := s.Numbers(i); differs && x != nil {
			return i
		}
	}
	return -1
}

// line is the points of a line, ascending by their loads or by what takes the place of the load.
type line struct {
	name   string
	points []decide.Point
}

// lines joins the points that differ only in what they are drawn over.
func (s *Study) lines() (all []line) {
	axis := s.DrawnOver()
	var x []float64
	if axis >= 0 {
		x, _ = s.Numbers(axis)
	}
	for i := range s.Series {
		name, points := s.Series[i].Name, s.Solved(i)
		at := -1
		if axis >= 0 {
			name = strings.ReplaceAll(s.Place(&s.Series[i], axis), "arrivals.load=", "load ")
			for k := range points {
				points[k].Load = x[i]
			}
			at = slices.IndexFunc(all, func(l line) bool { return l.name == name })
		}
		if at < 0 {
			at = len(all)
			all = append(all, line{name: name})
		}
		all[at].points = append(all[at].points, points...)
		slices.SortStableFunc(all[at].points, func(a, b decide.Point) int { return cmp.Compare(a.Load, b.Load) })
	}
	return all
}

// drawn returns a column of the [Row]s of all points, NaN where a value does not exist.
func (l *line) drawn(column output.Column, series int, dashed bool) chart.Line {
	out := chart.Line{Series: series, Dashed: dashed}
	for i := range l.points {
		y, ok := Row(&l.points[i]).Of(column).(float64)
		if !ok {
			y = math.NaN()
		}
		out.X, out.Y = append(out.X, l.points[i].Load), append(out.Y, y)
	}
	return out
}
