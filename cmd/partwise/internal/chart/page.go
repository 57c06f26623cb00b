package chart

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/escape"
)

//go:embed web
var web embed.FS

// pageTemplate is a document that needs nothing but itself. The license of uPlot asks to be part of every copy.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{or .Title "partwise"}}</title>
{{.Head}}
</head>
<body>
{{with .Title}}<h1>{{.}}</h1>
{{end}}{{.Body}}
{{.Scripts}}
</body>
</html>
`))

// WritePage writes a page with a title around a body that was made of fragments, see [Figure.Fragment].
func WritePage(w io.Writer, title string, style template.CSS, body template.HTML) error {
	head := "<style>\n" + webFile("uplot/uPlot.min.css") + "\n" + webFile("page.css") + string(style) + "</style>"
	scripts := "<script>\n/*!\n" + webFile("uplot/LICENSE") + "\n*/\n" + webFile("uplot/uPlot.iife.min.js") +
		"</script>\n<script>\n" + webFile("chart.js") + "</script>"
	return pageTemplate.Execute(w, struct {
		Title         string
		Head, Scripts template.HTML
		Body          template.HTML
	}{escape.Line(title), template.HTML(head), template.HTML(scripts), body})
}

// webFile returns a file of the page. They are part of the program.
func webFile(name string) string {
	data, err := web.ReadFile("web/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// pageFigure is a Figure as the script of the page reads it.
type pageFigure struct {
	XLabel  string       `json:"xLabel"`
	Solid   string       `json:"solid,omitempty"`
	Dashed  string       `json:"dashed,omitempty"`
	Single  bool         `json:"single"` // one series, whose strokes are told apart by colour
	Columns int          `json:"columns"`
	Rows    []string     `json:"rows,omitempty"`
	Series  []pageSeries `json:"series"`
	Panels  []pagePanel  `json:"panels"`
}

type pageSeries struct {
	Name  string `json:"name"`
	Color string `json:"color"`
	Dark  string `json:"dark"` // the colour on a dark page
	Mark  int    `json:"mark"`
	Dots  bool   `json:"dots,omitempty"` // only points of it are drawn
}

func newPageSeries(name string, i int, dots bool) pageSeries {
	of := i % len(palette)
	return pageSeries{escape.Line(name), hex(palette[of]), hex(darkPalette[of]), i, dots}
}

type pagePanel struct {
	Title  string     `json:"title"`
	XLabel string     `json:"xLabel,omitempty"`
	YLabel string     `json:"yLabel"`
	LogX   bool       `json:"logX"`
	LogY   bool       `json:"logY"`
	XMin   float64    `json:"xMin"`
	XMax   float64    `json:"xMax"`
	YMin   float64    `json:"yMin"`
	YMax   float64    `json:"yMax"`
	Rule   *float64   `json:"rule,omitempty"`
	Lines  []pageLine `json:"lines"`
}

type pageLine struct {
	Series int        `json:"series"` // picks name and colour
	Dashed bool       `json:"dashed,omitempty"`
	Dots   bool       `json:"dots,omitempty"`
	X      []float64  `json:"x"`
	Y      []ordinate `json:"y"`
}

// ordinate is written as null where there is none.
type ordinate float64

// MarshalJSON makes ordinate a json.Marshaler.
func (y ordinate) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(y)) || math.IsInf(float64(y), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(y))
}

// Fragment returns the figure as part of a page: interactive, and as a picture for paper and for readers without
// scripts.
func (f *Figure) Fragment() (template.HTML, error) {
	data, err := json.Marshal(f.forPage())
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	picture, err := f.sheet().inlineSVG()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("<div class=\"figure\">\n")
	fmt.Fprintf(&b, "<script type=\"application/json\">%s</script>\n", data) // in which < is escaped
	fmt.Fprintf(&b, "<div class=\"static\">%s</div>\n", picture)
	b.WriteString("<p class=\"hint\">Point at a curve for its values; untick a name to hide it; drag across a panel to " +
		"zoom in, double-click to zoom out. Arrow keys move along a panel that has the focus.</p>\n</div>\n")
	return template.HTML(b.String()), nil
}

// inlineSVG returns the picture without its title, which the page has, as an element of a page, scaled with it.
func (s *sheet) inlineSVG() (string, error) {
	var b bytes.Buffer
	s.title = ""
	if err := s.writeSVG(&b); err != nil {
		return "", err
	}
	at := bytes.Index(b.Bytes(), []byte("<svg"))
	if at < 0 {
		return "", fmt.Errorf("chart: the picture is no SVG")
	}
	return b.String()[at:], nil
}

func (f *Figure) forPage() pageFigure {
	_, columns := f.grid()
	p := pageFigure{XLabel: f.XLabel, Solid: f.Solid, Dashed: f.Dashed, Single: f.single(), Columns: max(1, columns),
		Rows: f.Rows, Panels: []pagePanel{}, Series: []pageSeries{}}
	for i, name := range f.Series {
		p.Series = append(p.Series, newPageSeries(name, f.mark(i), f.dotted(i)))
	}
	if f.single() { // the dashed lines take the next colour, as on paper
		p.Series = append(p.Series, newPageSeries(f.Series[0], f.mark(1), false))
	}
	for i := range f.Panels {
		p.Panels = append(p.Panels, f.Panels[i].forPage(f.single()))
	}
	return p
}

func (p *Panel) forPage(single bool) pagePanel {
	a := p.axes()
	out := pagePanel{Title: escape.Line(p.Title), XLabel: p.XLabel, YLabel: p.YLabel, LogX: a.logX, LogY: a.logY, XMin: a.x.lo,
		XMax: a.x.hi, YMin: a.y.lo, YMax: a.y.hi, Lines: []pageLine{}}
	if p.HasRule {
		out.Rule = &p.Rule
	}
	for _, l := range p.Lines {
		if single && l.Dashed {
			l.Series = 1
		}
		one := pageLine{Series: l.Series, Dashed: l.Dashed, Dots: l.Dots, X: l.X, Y: make([]ordinate, len(l.Y))}
		if one.X == nil {
			one.X = []float64{}
		}
		for i, y := range l.Y {
			one.Y[i] = ordinate(y)
		}
		out.Lines = append(out.Lines, one)
	}
	return out
}

// hex writes a colour as style sheets do.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
