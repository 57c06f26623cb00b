package sweep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile/tree"
)

// PanelKind is a kind of panel that curve can draw.
type PanelKind struct {
	name string
	chart.Panel
	columns []string // what it draws, the first solid, the second dashed
	beside  []string // what else its axis makes room for
}

// panelKinds is the table of all kinds; the label of an axis that is empty is the time unit.
var panelKinds = []PanelKind{
	{"response", chart.Panel{Title: "Mean response time", MayLog: true}, []string{"t_dynamic", "t_static"}, nil},
	{"dynamic", chart.Panel{Title: "Mean response time, dynamic partitioning", MayLog: true}, []string{"t_dynamic"}, nil},
	{"ratio", chart.Panel{Title: "Best static relative to dynamic", YLabel: "ratio (above 1: dynamic is faster)", HasRule: true,
		Rule: 1}, []string{"ratio"}, nil},
	{"repartition", chart.Panel{Title: "Share of time spent repartitioning", YLabel: "probability", FromZero: true},
		[]string{"p_repartition"}, nil},
}

// mostPairs is how many series a panel shows with both strokes; more pairs of lines cannot be told apart.
const mostPairs = 4

// apart returns kinds that show no more pairs of lines than can be told apart: a panel with too many becomes two, one for
// dynamic and one for static partitioning, over one vertical axis.
func apart(kinds []PanelKind, series int) []PanelKind {
	if series <= mostPairs {
		return kinds
	}
	var all []PanelKind
	for _, k := range kinds {
		if len(k.columns) < 2 {
			all = append(all, k)
			continue
		}
		for i, policy := range []string{"dynamic", "best static"} {
			one := k
			one.Title += ", " + policy
			one.columns, one.beside = k.columns[i:i+1], k.columns
			all = append(all, one)
		}
	}
	return all
}

// defaultPanels are drawn if nobody says which.
const defaultPanels = "response,ratio,repartition"

func panelNames() []string {
	var names []string
	for _, p := range panelKinds {
		names = append(names, p.name)
	}
	return names
}

// Panels binds --panels.
func Panels(to *[]PanelKind) cli.Flag {
	return cli.Value(to, "panels", parsePanels, cli.About{Default: defaultPanels,
		Usage: "draw the panels of `LIST`: " + strings.Join(panelNames(), ", ")})
}

// DefaultPanels are drawn without --panels.
func DefaultPanels() []PanelKind {
	kinds, err := parsePanels(defaultPanels)
	if err != nil {
		panic(err) // the text is a constant
	}
	return kinds
}

func parsePanels(text string) ([]PanelKind, error) {
	var chosen []PanelKind
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(panelNames(), name)
		if i < 0 {
			return nil, cli.Usagef(tree.Suggest(name, panelNames()), "--panels: unknown panel %q", name)
		}
		chosen = append(chosen, panelKinds[i])
	}
	return chosen, nil
}

// drawing is a picture of panels that a command is asked for.
type drawing struct {
	cli.Picture
	panels []PanelKind
}

func newDrawing() drawing { return drawing{panels: DefaultPanels()} }

// flags are those of the commands that draw points.
func (d *drawing) flags(what string) []cli.Flag {
	return []cli.Flag{cli.Plot(&d.Picture, what), Panels(&d.panels)}
}

// longUnits are the time units as an axis names them.
var longUnits = map[string]string{
	"us": "microseconds", "ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours", "d": "days",
}

// Figure draws the panels of each study in a row. Series of the same name have the same colour in all of them.
func Figure(all []*Curves, kinds []PanelKind) *chart.Figure {
	f := &chart.Figure{Heading: "Dynamic and static partitioning", XLabel: "relative load"}
	if len(all) == 1 {
		f.Title = all[0].Title
	}
	for _, c := range all {
		if len(all) > 1 {
			f.Rows = append(f.Rows, c.Title)
		}
		for _, s := range c.Series {
			if !slices.Contains(f.Series, s.Name) {
				f.Series = append(f.Series, s.Name)
			}
		}
	}
	kinds = apart(kinds, len(f.Series))
	if len(all) == 1 && len(kinds) > 3 {
		f.Columns = 2
	}
	for _, k := range kinds {
		if len(k.columns) > 1 {
			f.Solid, f.Dashed = "dynamic", "best static"
		}
	}
	for _, c := range all {
		for _, k := range kinds {
			f.Panels = append(f.Panels, c.panel(k, f.Series))
		}
	}
	return f
}

// panel draws one kind of panel of a study.
func (c *Curves) panel(kind PanelKind, series []string) chart.Panel {
	p := kind.Panel
	if p.YLabel == "" {
		p.YLabel = "time units of the series"
		if unit, ok := longUnits[c.unit()]; ok {
			p.YLabel = unit
		}
	}
	for k, s := range c.Series {
		points := slices.Clone(c.Points[k])
		slices.SortStableFunc(points, func(a, b decide.Point) int { return cmp.Compare(a.Load, b.Load) })
		of := slices.Index(series, s.Name)
		for i, column := range kind.columns {
			p.Lines = append(p.Lines, newLine(points, column, of, i > 0))
		}
		for _, column := range kind.beside {
			p.Beside = append(p.Beside, newLine(points, column, of, false))
		}
	}
	return p
}

func newLine(points []decide.Point, column string, series int, dashed bool) chart.Line {
	l := chart.Line{Series: series, Dashed: dashed}
	for i := range points {
		l.X = append(l.X, points[i].Load)
		l.Y = append(l.Y, columnOf(&points[i], column))
	}
	return l
}
