package chart

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

//go:embed web
var web embed.FS

// pages are the parts of a document that needs nothing but itself. The license of uPlot asks to be part of every copy.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"file": webFile}).ParseFS(web, "web/page.html"))
})

// HTML is a part of a page.
type HTML string

// WritePage writes a page with a title around a body that was made by [Fragment].
func WritePage(w io.Writer, title string, body HTML) error {
	return pages().ExecuteTemplate(w, "page", map[string]any{"Title": output.Line(title), "Body": body})
}

// webFile returns a file of the page.
func webFile(name string) (string, error) {
	data, err := web.ReadFile("web/" + name)
	return string(data), err
}

// pageFigure is a Figure as the script of the page reads it.
type pageFigure struct {
	*Figure
	Single  bool         `json:"single"` // one series, whose strokes are told apart by colour
	Columns int          `json:"columns"`
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

// newPageSeries returns series i with its name, its colours on light and dark pages, and its marker. dots says that it has
// points only.
func newPageSeries(name string, i int, dots bool) pageSeries {
	return pageSeries{output.Line(name), hex(hue(i)), hex(darkPalette[i%len(palette)]), i, dots}
}

// pagePanel is a panel with the ranges of its axes.
type pagePanel struct {
	*Panel
	LogX bool     `json:"logX"`
	LogY bool     `json:"logY"`
	XMin float64  `json:"xMin"`
	XMax float64  `json:"xMax"`
	YMin float64  `json:"yMin"`
	YMax float64  `json:"yMax"`
	Rule *float64 `json:"rule,omitempty"`
	// YTicks are the labelled values of a logarithmic axis that is shorter than a decade.
	YTicks []float64 `json:"yTicks,omitempty"`
}

// Values are numbers. Numbers that are not finite are left out.
type Values []float64

// MarshalJSON writes null for a number that is not there.
func (v Values) MarshalJSON() ([]byte, error) {
	all := make([]*float64, len(v))
	for i := range v {
		if words.Finite(v[i]) {
			all[i] = &v[i]
		}
	}
	return json.Marshal(all)
}

// Fragment returns the figure as part of a page, without its title, which the page has. Notes are text of the page. The picture
// is for paper and for readers without scripts, unless the figure is of tiles. Curves respond to a pointer, and tiles tell what
// they are.
func Fragment(f *Figure) (HTML, error) {
	s := f.sheet()
	s.title, s.notes = "", nil
	var b bytes.Buffer
	if err := s.write(&b, "svg"); err != nil {
		return "", err
	}
	text := b.String()
	picture := strings.TrimSuffix(text[strings.Index(text, "<svg"):], "</svg>\n")
	part, about := "tiles", map[string]any{"Notes": f.Notes, "Tips": s.tips, "Picture": picture}
	if !slices.ContainsFunc(s.f.Panels, func(p Panel) bool { return len(p.Tiles) > 0 }) {
		data, err := json.Marshal(f.forPage()) // JSON escapes <
		if err != nil {
			return "", fmt.Errorf("chart: %w", err)
		}
		part, about["Data"] = "figure", string(data)
	}
	b.Reset()
	err := pages().ExecuteTemplate(&b, part, about)
	return HTML(b.String()), err
}

// landscape is the style of a page that is printed across the paper. Otherwise the text of a wide picture would be too
// small to read.
const landscape HTML = "<style>@page { size: landscape; }</style>\n"

// forPage returns the figure as the script of a page reads it: series with colours and markers, and panels with the ranges
// of their axes.
func (f *Figure) forPage() pageFigure {
	_, columns := f.grid()
	if f.leads() { // the large panel stands above the others
		columns = min(len(f.Panels)-1, 2)
	}
	p := pageFigure{f, f.single(), max(1, columns), []pageSeries{}, []pagePanel{}}
	for i, name := range f.Series {
		p.Series = append(p.Series, newPageSeries(name, f.mark(i), f.dotted(i)))
	}
	for i := 1; f.single() && i < len(f.Strokes); i++ { // each stroke has a colour, as on paper
		p.Series = append(p.Series, newPageSeries(f.Series[0], f.mark(i), false))
	}
	for i := range f.Panels {
		p.Panels = append(p.Panels, f.Panels[i].forPage(f))
	}
	return p
}

// forPage returns the panel of a figure with the ranges of its axes, and which of them are logarithmic.
func (p Panel) forPage(f *Figure) pagePanel {
	a := f.axes(&p)
	out := pagePanel{Panel: &p, LogX: a.logX, LogY: a.logY, XMin: a.x.lo, XMax: a.x.hi, YMin: a.y.lo, YMax: a.y.hi}
	if a.logY && !a.y.hasDecades() {
		for _, t := range a.yTicks.Ticks(a.y.lo, a.y.hi) {
			if t.Label != "" {
				out.YTicks = append(out.YTicks, t.Value)
			}
		}
	}
	if p.HasRule {
		out.Rule = &p.Rule
	}
	p.Title, p.Lines = output.Line(p.Title), append([]Line{}, p.Lines...)
	for i := range p.Lines {
		if f.single() {
			p.Lines[i].Series = int(p.Lines[i].Stroke)
		}
	}
	return out
}

// hex writes a colour as style sheets do.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
