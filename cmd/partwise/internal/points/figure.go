package points

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/models/words"
)

// PanelKind is a kind of panel that points are drawn in.
type PanelKind struct {
	name string
	chart.Panel
	drawn []quantity
}

// quantity is a column of the [Row]s of points, and the stroke of its policy.
type quantity struct {
	column output.Column
	of     chart.Stroke
}

// The strokes of the policies, and what pictures call the policies.
const (
	ofDynamic = chart.Solid
	ofStatic  = chart.Dashed
	ofFCFS    = chart.Dotted
)

var policyNames = []string{ofDynamic: "dynamic", ofStatic: "best static", ofFCFS: "rigid, fcfs"}

// panelKinds is the table of all kinds. An axis without a label has the time unit as its label.
var panelKinds = []PanelKind{
	{"response", chart.Panel{Title: "Mean response time", MayLog: true},
		[]quantity{{dynamicTime, ofDynamic}, {staticTime, ofStatic}, {fcfsTime, ofFCFS}}},
	{"dynamic", chart.Panel{Title: "Mean response time, dynamic partitioning", MayLog: true}, []quantity{{dynamicTime, ofDynamic}}},
	{"ratio", ratioPanel("Above the line at 1 dynamic partitioning is faster", "static"),
		[]quantity{{ratio, ofStatic}, {ratioToFCFS, ofFCFS}}},
	{"repartition", chart.Panel{Title: "Time spent repartitioning", YLabel: "share of time", FromZero: true},
		[]quantity{{repartitioned, ofDynamic}}},
}

// ratioPanel returns a panel that shows how many times as fast as under another policy jobs are under dynamic partitioning.
func ratioPanel(title, rival string) chart.Panel {
	return chart.Panel{Title: title, YLabel: "times as fast as " + rival, HasRule: true, Rule: 1, Log: true}
}

// againstSeveral is the label of the ratios to several policies.
const againstSeveral = "dynamic, times as fast"

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

// defaultPanels are drawn if the user names no panels; with rigid jobs, response times come first.
const (
	defaultPanels      = "ratio,response,repartition"
	defaultRigidPanels = "response,ratio,repartition"
)

var panelNames, panelKind = values.ByName("unknown panel", panelKinds, func(p PanelKind) string { return p.name })

// Panels binds --panels.
func Panels(to *[]PanelKind) cli.Flag {
	return cli.Value(to, "panels", parsePanels, cli.About{Default: defaultPanels + ", with rigid jobs " + defaultRigidPanels,
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
	return []cli.Flag{input.Plot(&d.Picture, d.Shows), Panels(&d.panels)}
}

// Figure returns the picture of studies, with the panels of each study in a row. Without kinds it has the usual panels,
// and for a study of one line one more with the ratios of its classes of jobs. Series of the same name have the same
// colour in all studies. The points are drawn over the loads, or over an axis if each series has one load.
//
// Strokes tell the policies apart, unless the study is one line with classes, or all lines of a policy are the same: such a line is
// a series of its own. A vertical line shows the load at which a policy saturates, if curves go on beyond it.
func Figure(all []*Study, kinds []PanelKind) *chart.Figure {
	f := &chart.Figure{Heading: "Dynamic and static partitioning", Lead: len(all) == 1, XLabel: horizontalTitle(all)}
	lines := output.RowsOf(all, (*Study).lines)
	if len(all) == 1 {
		f.Title = all[0].Title
	} else {
		f.Rows = words.Texts(all, func(s *Study) string { return s.Title })
	}
	byClass := kinds == nil && len(all) == 1 && len(lines[0]) == 1 && len(all[0].Classes()) > 0
	if byClass {
		lines[0][0].Name = allJobs
	}
	d := newDrawing(slices.Concat(lines...), byClass)
	if !d.own[ofDynamic] {
		for _, l := range slices.Concat(lines...) {
			f.SeriesOf(l.Name)
		}
	}
	if kinds == nil {
		kinds = d.usual()
	}
	if !d.own[ofStatic] {
		kinds = readable(kinds, len(f.Series))
	}
	for i, s := range all {
		for _, k := range kinds {
			f.Panels = append(f.Panels, d.panel(f, k, lines[i], cmp.Or(s.Unit(), "time units of the series")))
		}
	}
	if byClass {
		if p := d.byClass(f, &lines[0][0]); len(p.Lines) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// horizontalTitle returns the title of the horizontal axis: what studies are drawn over, or "value" if they differ in that.
func horizontalTitle(all []*Study) string {
	title := all[0].horizontalTitle()
	for _, s := range all[1:] {
		if s.horizontalTitle() != title {
			return "value"
		}
	}
	return title
}

// horizontalTitle returns what a study is drawn over: the load or, if each series has one load, an axis of the study.
func (s *Study) horizontalTitle() string {
	axis := s.DrawnOver()
	if axis < 0 {
		return "offered load, as a share of the capacity"
	}
	_, unit := s.Numbers(axis)
	return axisTitle(s.Axes[axis], unit, s.Unit())
}

// quantities are what settings mean, by patterns of their paths; CLASS is the name of a class in the path. Times have the unit of
// the models unless values have their own.
var quantities = []struct {
	path, words string
	isTime      bool
}{
	{"dynamic.overhead", "mean resize cost", true},
	{"dynamic.overhead.mean", "mean resize cost", true},
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

// allJobs is the name of the only line of a study beside the lines of its classes of jobs.
const allJobs = "all jobs"

// drawing is how the policies of a figure are told apart. Its lists are by the strokes of the policies.
type drawing struct {
	names   []string // of policies whose line is a series of its own, with their saturation; only the first two without rigid jobs
	strokes []string // what the strokes stand for
	own     [3]bool  // whether all lines of the policy are one line, a series of its own
}

// newDrawing returns how the policies of lines are told apart. A single line with classes of rigid jobs leaves the strokes to the
// classes.
func newDrawing(lines []line, classes bool) *drawing {
	rigid := slices.ContainsFunc(lines, func(l line) bool {
		return slices.ContainsFunc(l.Points, func(p decide.Point) bool { return p.Decision.Of(policy.FCFS{}) != nil })
	})
	d := &drawing{names: slices.Clone(policyNames[:ofFCFS])}
	if rigid {
		d.names = slices.Clone(policyNames)
	}
	for i := range d.names {
		of := chart.Stroke(i)
		d.own[of] = rigid && classes || of != ofDynamic && len(lines) > 1 && alike(lines, of)
		if limit, same := commonLimit(lines, of); same && limit > 0 {
			d.names[of] += ": saturated at load " + words.SaturationLoad(limit, 3)
		}
	}
	if d.strokes = d.names; len(lines) > 1 {
		d.strokes = policyNames[:len(d.names)]
	}
	return d
}

// rigid reports whether there are rigid jobs.
func (d *drawing) rigid() bool { return len(d.names) > int(ofFCFS) }

// usual returns the panels of a figure for which nobody asked for others.
func (d *drawing) usual() []PanelKind {
	list := defaultPanels
	if d.rigid() {
		list = defaultRigidPanels
	}
	kinds, _ := parsePanels(list)
	return kinds
}

// alike reports whether the response times of a policy are the same on all lines, but for roundings.
func alike(lines []line, of chart.Stroke) bool {
	const rounding = 1e-9
	column := panelKinds[0].drawn[of].column
	first := lines[0].drawn(column)
	return !slices.ContainsFunc(lines[1:], func(l line) bool {
		other := l.drawn(column)
		return !floats.Equal(first.X, other.X) || !slices.EqualFunc(first.Y, other.Y, func(a, b float64) bool {
			return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= rounding*math.Abs(a)
		})
	})
}

// commonLimit returns the load at which a policy saturates on all lines, see [line.limit]; same is false if the loads differ.
func commonLimit(lines []line, of chart.Stroke) (limit float64, same bool) {
	for i := range lines {
		own := lines[i].limit(of)
		if i > 0 && math.Abs(own-limit) > 1e-9 {
			return 0, false
		}
		limit = own
	}
	return limit, true
}

// panel returns a panel of a figure, and adds series of policies to the series of the figure.
func (d *drawing) panel(f *chart.Figure, k PanelKind, lines []line, unit string) chart.Panel {
	p := k.Panel
	p.YLabel = cmp.Or(p.YLabel, "mean response time ["+unit+"]")
	drawn := slices.DeleteFunc(slices.Clone(k.drawn), func(q quantity) bool { return q.of == ofFCFS && !d.rigid() })
	if len(drawn) > 1 && p.Log { // against several policies
		p.YLabel = againstSeveral
	}
	for i := range lines {
		for _, q := range drawn {
			l := lines[i].drawn(q.column)
			l.Limit = lines[i].limit(q.of)
			if dynamic := lines[i].limit(ofDynamic); p.FromZero || p.Log && dynamic > 0 && l.Limit >= dynamic {
				l.Limit = 0 // shares of time, and ratios to what saturates before, stay bounded
			}
			own := d.own[ofDynamic] || d.own[q.of] && !p.Log // the ratio to dynamic partitioning differs between lines
			switch {
			case own && i > 0:
				continue
			case own:
				l.Series = f.SeriesOf(d.names[q.of])
			default:
				l.Series = slices.Index(f.Series, lines[i].Name)
				if len(drawn) > 1 {
					l.Stroke, f.Strokes = q.of, d.strokes
				}
			}
			p.Lines = append(p.Lines, l)
		}
	}
	return p
}

// byClass returns a panel with the ratio of each class of jobs, whose names become series of the figure. With rigid jobs, strokes
// tell both rivals of dynamic partitioning apart.
func (d *drawing) byClass(f *chart.Figure, l *line) chart.Panel {
	p := ratioPanel("Ratio by class", "static")
	rivals := []policy.Policy{nil}
	if d.rigid() {
		p.YLabel = againstSeveral
		rivals = append(rivals, policy.FCFS{})
		f.Strokes = []string{"against best static", "against rigid jobs"}
	}
	for i, rival := range rivals {
		for _, point := range l.Points {
			for _, c := range point.Decision.CompareWith(rival).Classes() {
				p.Add(chart.Line{Series: f.SeriesOf(c.Name), Stroke: chart.Stroke(i)}, point.Load, c.Ratio())
			}
		}
	}
	return p
}

// line is the points of a line, as its columns are drawn.
type line struct{ sweep.Line }

// lines returns the lines of a study. Loads that stand on an axis have their short name.
func (s *Study) lines() []line {
	return output.RowsOf(s.Lines(), func(l sweep.Line) line {
		l.Name = strings.ReplaceAll(l.Name, "arrivals.load=", "load ")
		return line{l}
	})
}

// drawn returns a column of the [Row]s of all points, NaN where a value does not exist.
func (l *line) drawn(column output.Column) (out chart.Line) {
	for i := range l.Points {
		y, ok := Row(&l.Points[i]).Of(column).(float64)
		if !ok {
			y = math.NaN()
		}
		out.X, out.Y = append(out.X, l.Points[i].Load), append(out.Y, y)
	}
	return out
}

// limit returns the load at which a policy saturates, see [sweep.Line.SaturationLoad]. For static partitioning it is the best
// static policy.
func (l *line) limit(of chart.Stroke) float64 {
	return l.SaturationLoad(func(r *decide.Solved) bool {
		switch of {
		case ofDynamic:
			return r.Policy == policy.Dynamic{}
		case ofStatic:
			return r.Partitions() > 0
		}
		return r.Policy == policy.FCFS{}
	})
}
