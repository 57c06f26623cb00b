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
	// Heading is that of a page where the picture has no title, as its rows or panels have theirs.
	Heading string  `json:"-"`
	XLabel  string  `json:"xLabel"`
	Panels  []Panel `json:"-"` // row by row
	// Rows are the headings of the rows, which hold as many panels each; none for rows without a heading.
	Rows []string `json:"rows,omitempty"`
	// Columns is how many panels a row without a heading holds; 0: all.
	Columns int `json:"-"`
	// Series are the names of the series, in the order of their colours.
	Series []string `json:"-"`
	// Solid and Dashed say what the two strokes stand for; empty if all lines are solid.
	Solid  string `json:"solid,omitempty"`
	Dashed string `json:"dashed,omitempty"`

	marks []int // see Together
}

// Panel is one set of axes.
type Panel struct {
	Title  string `json:"title"`
	YLabel string `json:"yLabel"`
	Lines  []Line `json:"lines"`
	// Rule is the height of a horizontal line for comparison, drawn if HasRule.
	Rule    float64 `json:"-"`
	HasRule bool    `json:"-"`
	// Beside are lines of other panels that the vertical axis makes room for as well, so that panels compare.
	Beside []Line `json:"-"`
	// MayLog asks for a logarithmic axis if the values are positive and span more than a decade; otherwise the axis is
	// linear, from zero if FromZero.
	MayLog   bool `json:"-"`
	FromZero bool `json:"-"`
	// MayLogX asks the same of the horizontal axis, whose label is that of the figure unless XLabel is set.
	MayLogX bool   `json:"-"`
	XLabel  string `json:"xLabel,omitempty"`
}

// Line is a curve; a Y that is NaN interrupts it.
type Line struct {
	Series int    `json:"series"` // picks name, colour and marker
	Dashed bool   `json:"dashed,omitempty"`
	Dots   bool   `json:"dots,omitempty"` // points that are not joined
	X      Values `json:"x"`
	Y      Values `json:"y"`
}

// SeriesOf returns the index of the series that has a name. If the figure has no such series, SeriesOf appends it.
func (f *Figure) SeriesOf(name string) int {
	if i := slices.Index(f.Series, name); i >= 0 {
		return i
	}
	f.Series = append(f.Series, name)
	return len(f.Series) - 1
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
// Add first appends l to the lines. A y that is infinite interrupts the line, as NaN does.
func (p *Panel) Add(l Line, x, y float64) {
	i := slices.IndexFunc(p.Lines, func(q Line) bool {
		return q.Series == l.Series && q.Dashed == l.Dashed && q.Dots == l.Dots
	})
	if i < 0 {
		i, p.Lines = len(p.Lines), append(p.Lines, l)
	}
	if math.IsInf(y, 0) {
		y = math.NaN()
	}
	at := &p.Lines[i]
	at.X, at.Y = append(at.X, x), append(at.Y, y)
}

const (
	panelWidth  = 3.35 * vg.Inch
	panelHeight = 2.9 * vg.Inch
	margin      = 0.12 * vg.Inch
	gutter      = 0.22 * vg.Inch
	textSize    = 9 * vg.Inch / 72
	titleSize   = 11 * vg.Inch / 72
)

var (
	ink  = color.Gray{0x22}
	rule = color.Gray{0x66}
	grid = color.Gray{0xe2}
)

// palette is that of Okabe and Ito without its yellow, which vanishes on white paper: blue, vermilion, bluish green,
// reddish purple, orange, sky blue, black. darkPalette has the same hues for a dark page.
var (
	palette     = colours(0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000)
	darkPalette = colours(0x3d8fd1, 0xff7a2e, 0x1fc196, 0xe095c0, 0xf0b429, 0x8fd3ff, 0xf2f2f2)
)

// colours returns colours by their codes, as style sheets write them.
func colours(codes ...uint32) (all []color.Color) {
	for _, c := range codes {
		all = append(all, color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff})
	}
	return all
}

// markers are drawn by chart.js as well.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{},
}

func stroke(series int, dashed bool) draw.LineStyle {
	s := line(palette[series%len(palette)], 1.3)
	if dashed {
		s.Dashes = []vg.Length{vg.Points(4), vg.Points(2.5)}
	}
	return s
}

func glyph(series int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[series%len(palette)], Radius: vg.Points(2.4), Shape: markers[series%len(markers)]}
}

func dot(series int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[series%len(palette)], Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}
}

func style(size font.Length, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = weight.WeightBold
	}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

// single reports whether the figure has one series and both kinds of strokes. The lines of such a figure need no markers, and
// colours tell solid from dashed.
func (f *Figure) single() bool { return len(f.Series) == 1 && f.Solid+f.Dashed != "" }

// dotted reports whether the figure draws only points of a series.
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

// grid returns the number of rows and columns of panels.
func (f *Figure) grid() (rows, cols int) {
	rows = max(1, len(f.Rows))
	if len(f.Rows) == 0 && f.Columns > 0 {
		return (len(f.Panels) + f.Columns - 1) / f.Columns, f.Columns
	}
	return rows, (len(f.Panels) + rows - 1) / rows
}

// headingHeight is what stands above each row but for its panels.
func (f *Figure) headingHeight() vg.Length {
	if len(f.Rows) == 0 {
		return 0
	}
	return 2 * textSize
}

// sheet returns the picture: panels in rows, with the heading of each row above it.
func (f *Figure) sheet() *sheet {
	rows, cols := f.grid()
	n, m := vg.Length(cols), vg.Length(rows)
	above := f.headingHeight()
	s := &sheet{name: cmp.Or(f.Title, f.Heading), title: f.Title, indent: 2 * margin, live: f.live,
		width:  n*panelWidth + (n-1)*gutter + 2*margin,
		height: m*(panelHeight+above) + (m-1)*gutter + 3*margin}
	s.legend = f.legend(s.width - 2*margin)
	s.body = func(page page, top vg.Length) {
		plots := make([][]*plot.Plot, rows)
		for i := range plots {
			plots[i] = make([]*plot.Plot, cols)
		}
		for i, p := range f.Panels {
			plots[i/cols][i%cols] = p.plot(f.XLabel, f)
		}
		tiles := draw.Tiles{Rows: rows, Cols: cols, PadX: gutter, PadY: gutter + above, PadTop: above}
		area := draw.Crop(page.Canvas, margin, -margin, 2*margin+s.legend.height(), top-page.Max.Y)
		row := (area.Max.Y - area.Min.Y + gutter) / max(vg.Length(len(f.Rows)), 1)
		for i, name := range f.Rows {
			page.text(heading(textSize+1), area.Min.X+margin, area.Max.Y-vg.Length(i)*row, name)
		}
		for i, row := range plot.Align(plots, tiles, area) {
			for j, canvas := range row {
				if plots[i][j] != nil {
					plots[i][j].Draw(canvas)
				}
			}
		}
	}
	return s
}
