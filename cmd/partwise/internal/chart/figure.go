package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	weight "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is one or more rows of panels over one horizontal axis quantity.
type Figure struct {
	Title string `json:"-"`
	// Heading is the heading of a page whose picture has no title, because its rows or panels have titles.
	Heading string  `json:"-"`
	XLabel  string  `json:"xLabel"`
	Panels  []Panel `json:"-"` // row by row
	// Rows are the headings of the rows, which hold as many panels each; none for rows without a heading.
	Rows []string `json:"rows,omitempty"`
	// Columns is how many panels a row without a heading holds; 0: all.
	Columns int `json:"-"`
	// Lead makes the first panel large. The other panels stand one below the other to the right of it.
	Lead bool `json:"lead,omitempty"`
	// Series are the names of the series, in the order of their colours.
	Series []string `json:"-"`
	// Strokes say what the strokes of lines stand for, in the order of their constants; none if all lines are solid.
	Strokes []string `json:"strokes,omitempty"`
	// Notes stand below the panels, each on lines of its own, such as what the names of series mean.
	Notes []string `json:"-"`

	entries       []entry   // of the legend, beside those of series
	width, height vg.Length // of a panel; 0: the usual size
}

// Panel is one set of axes.
type Panel struct {
	Title  string `json:"title"`
	YLabel string `json:"yLabel"`
	Lines  []Line `json:"lines"`
	// Rule is the height of a horizontal line for comparison, drawn if HasRule.
	Rule    float64 `json:"-"`
	HasRule bool    `json:"-"`
	// MayLog asks for a logarithmic axis if the values are positive and span more than a decade; otherwise the axis is
	// linear, from zero if FromZero. Log asks for a logarithmic axis whenever the values are positive. On the axis of a ratio,
	// 4 and 1/4 are then equally far from 1.
	MayLog   bool `json:"-"`
	Log      bool `json:"-"`
	FromZero bool `json:"-"`
	// MayLogX asks the same of the horizontal axis. XLabel is its label; "" stands for the label of the figure.
	MayLogX bool   `json:"-"`
	XLabel  string `json:"xLabel,omitempty"`
	// Here, if it has a name, is a place on the horizontal axis that a vertical line shows.
	Here Named `json:"here,omitzero"`
	// XNames and YNames are what an axis shows in place of numbers.
	XNames []Named `json:"xNames,omitempty"`
	YNames []Named `json:"yNames,omitempty"`

	// Tiles and Bars are drawn in place of lines. The axes of tiles end where the tiles do. Bars stand beside each other, each a
	// stack of Parts from the bottom. A bar that is higher than Top, if that is not 0, is cut: the sum of its parts is written on it.
	Tiles []Tile       `json:"-"`
	Bars  []StackedBar `json:"-"`
	Parts []string     `json:"-"`
	Top   float64      `json:"-"`
}

// Named is a place of an axis that has a name, such as the name of a category.
type Named struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
}

// Stroke is how a line is drawn.
type Stroke int

// The strokes.
const (
	Solid Stroke = iota
	Dashed
	Dotted
)

// String returns the name of the stroke.
func (s Stroke) String() string { return [...]string{"solid", "dashed", "dotted"}[s] }

// Line is a curve; a Y that is NaN interrupts it.
type Line struct {
	Series int    `json:"series"` // picks name, colour and marker
	Stroke Stroke `json:"stroke,omitempty"`
	Dots   bool   `json:"dots,omitempty"` // points that are not joined
	X      Values `json:"x"`
	Y      Values `json:"y"`
	// Limit is the X towards which Y grows without bound, which a thin vertical line shows; 0 for none.
	Limit float64 `json:"limit,omitempty"`
	// Low and High are the ends of the intervals of the values, drawn as a band. Those of dots are drawn as strokes; over an
	// axis of YNames they are the ends of the intervals of X.
	Low  Values `json:"low,omitempty"`
	High Values `json:"high,omitempty"`
}

// SeriesOf returns the index of the series that has a name. If the figure has no such series, SeriesOf appends it.
func (f *Figure) SeriesOf(name string) int {
	if i := slices.Index(f.Series, name); i >= 0 {
		return i
	}
	f.Series = append(f.Series, name)
	return len(f.Series) - 1
}

// Append appends the panels of another figure. Their lines keep the names of their series. Its horizontal axis label becomes the
// label of its panels that have none.
func (f *Figure) Append(of *Figure) {
	for _, p := range of.Panels {
		p.Lines = slices.Clone(p.Lines)
		for i := range p.Lines {
			p.Lines[i].Series = f.SeriesOf(of.Series[p.Lines[i].Series])
		}
		p.XLabel = cmp.Or(p.XLabel, of.XLabel)
		f.Panels = append(f.Panels, p)
	}
}

// PanelOf returns the panel of the figure that has the title of p. If the figure has no such panel, PanelOf appends p.
func (f *Figure) PanelOf(p Panel) *Panel {
	i := slices.IndexFunc(f.Panels, func(q Panel) bool { return q.Title == p.Title })
	if i < 0 {
		i, f.Panels = len(f.Panels), append(f.Panels, p)
	}
	return &f.Panels[i]
}

// Add appends the point (x, y) to the line of the panel that has the series and the stroke of l. If the panel has no such line,
// Add first appends l to the lines. A y that is infinite interrupts the line, as NaN does. Add returns the line.
func (p *Panel) Add(l Line, x, y float64) *Line {
	i := slices.IndexFunc(p.Lines, func(q Line) bool {
		return q.Series == l.Series && q.Stroke == l.Stroke && q.Dots == l.Dots
	})
	if i < 0 {
		i, p.Lines = len(p.Lines), append(p.Lines, l)
	}
	if math.IsInf(y, 0) {
		y = math.NaN()
	}
	at := &p.Lines[i]
	at.X, at.Y = append(at.X, x), append(at.Y, y)
	return at
}

// AddInterval appends a point as [Panel.Add] does, with the ends of the interval of its value, which are NaN if they are not known.
func (p *Panel) AddInterval(l Line, x, y, low, high float64) {
	at := p.Add(l, x, y)
	at.Low, at.High = append(at.Low, low), append(at.High, high)
}

// Lengths are in points, of which an inch has 72.
const (
	panelWidth  = 3.35 * vg.Inch
	panelHeight = 2.9 * vg.Inch
	margin      = 0.12 * vg.Inch
	gutter      = 0.22 * vg.Inch
	textSize    = vg.Length(9)
	titleSize   = vg.Length(11)
	panelTitle  = 1.8 * textSize // the height of the title of a panel
	leadWidth   = 4.7 * vg.Inch
	besideLead  = 2.3 * vg.Inch // the height of a panel beside the large one, if there are several
)

var (
	ink  = color.Gray{0x22}
	rule = color.Gray{0x66}
	grid = color.Gray{0xe2}
)

// style returns the style of text in a size in points, in the font of all figures.
func style(size font.Length, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = weight.WeightBold
	}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

// single reports whether the figure has one series and several strokes. The lines of such a figure need no markers, and
// colours tell the strokes apart.
func (f *Figure) single() bool { return len(f.Series) == 1 && len(f.Strokes) > 0 }

// strokeName returns what a stroke stands for, "" if nothing says so.
func (f *Figure) strokeName(s Stroke) string {
	if int(s) < len(f.Strokes) {
		return f.Strokes[s]
	}
	return ""
}

// dotted reports whether all lines of a series are points that are not joined.
func (f *Figure) dotted(series int) bool {
	dots := false
	for _, p := range f.Panels {
		for _, l := range p.Lines {
			if l.Series == series && !l.Dots {
				return false
			}
			dots = dots || l.Series == series
		}
	}
	return dots
}

// grid returns the number of rows and columns of panels that are of one size.
func (f *Figure) grid() (rows, cols int) {
	rows, n := max(1, len(f.Rows)), len(f.Panels)
	switch {
	case f.leads():
		return n - 1, 1
	case len(f.Rows) == 0 && f.Columns > 0:
		cols = max(1, min(n, f.Columns)) // no paper stays empty beside the last panel
		return (n + cols - 1) / cols, cols
	}
	return rows, (n + rows - 1) / rows
}

// leads reports whether the first panel is large.
func (f *Figure) leads() bool { return f.Lead && len(f.Panels) > 1 }

// panelWidth returns the width of a panel. A panel that stands alone is as wide as its title, which would otherwise leave the
// paper beside the panel empty.
func (f *Figure) panelWidth() vg.Length {
	bars := 0
	for i := range f.Panels {
		bars = max(bars, len(f.Panels[i].Bars))
	}
	width := max(cmp.Or(f.width, panelWidth), vg.Length(bars)*barRoom)
	if len(f.Panels) != 1 || f.width > 0 {
		return width
	}
	title := max(heading(textSize+1).Width(f.Panels[0].Title), heading(titleSize).Width(f.Title))
	return max(width, min(otherFonts*title, 2*panelWidth))
}

// block is panels of one size in rows, each under its title and beside the labels of its curves.
type block struct {
	f             *Figure
	labels        [][]endLabel // of each panel
	first         int          // of the panels of the figure
	rows, cols    int
	width, height vg.Length // of a panel
	above         vg.Length // the height of the heading of a row
}

// between is what stands between panels that are one below the other.
func (t *block) between() vg.Length { return t.above + panelTitle + gutter }

// pitch is the height of a row with what stands above it.
func (t *block) pitch() vg.Length { return t.height + t.between() }

// size returns the size of all panels.
func (t *block) size() (w, h vg.Length) {
	for c := range t.cols {
		w += t.width + gutter + t.strip(c)
	}
	return w, vg.Length(t.rows)*t.pitch() - gutter
}

// strip returns the width of the labels of a column.
func (t *block) strip(column int) (width vg.Length) {
	for i := column; i < len(t.labels); i += t.cols {
		for _, l := range t.labels[i] {
			width = max(width, labelSample+labelGap+l.nameWidth()+6)
		}
	}
	return width
}

// draw draws the panels from an upper left corner.
func (t *block) draw(page page, left, top vg.Length) {
	_, height := t.size()
	plots := make([][]*plot.Plot, t.rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, t.cols)
	}
	for i := range t.labels {
		plots[i/t.cols][i%t.cols] = t.f.Panels[t.first+i].plot(t.f)
	}
	area := draw.Canvas{Canvas: page.Canvas.Canvas, Rectangle: vg.Rectangle{Min: point(left, top-height),
		Max: point(left+vg.Length(t.cols)*(t.width+gutter)-gutter, top-t.above-panelTitle)}}
	for i, row := range plot.Align(plots, draw.Tiles{Rows: t.rows, Cols: t.cols, PadX: gutter + rowHeight, PadY: t.between(),
		PadLeft: rowHeight}, area) {
		shift := vg.Length(0)
		for j, canvas := range row {
			g, at := plots[i][j], i*t.cols+j
			if g == nil {
				continue
			}
			canvas.Rectangle = canvas.Add(vg.Point{X: shift})
			shift += t.strip(j)
			g.Draw(canvas)
			p := &t.f.Panels[t.first+at]
			data := g.DataCanvas(canvas)
			page.text(heading(textSize+1), data.Min.X, top-t.above-vg.Length(i)*t.pitch(), p.Title)
			page.text(turned(textSize, text.XCenter, text.YBottom), canvas.Min.X-3, (data.Min.Y+data.Max.Y)/2, p.YLabel)
			if len(p.Tiles) > 0 {
				p.tiles(page, data, g)
				p.barNotes(page, data, g)
			}
			p.name(page, data, g, t.labels[at])
		}
	}
}
