package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats are the kinds of pictures, by the ending of their files.
var Formats = []string{"svg", "png", "pdf", "html"}

const dpi = 200 // of a PNG, fit for print at the size of a page

// Format returns the kind of picture that a file name asks for.
func Format(path string) (string, error) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if slices.Contains(Formats, ext) {
		return ext, nil
	}
	return "", fmt.Errorf("chart: cannot draw %q; the name must end in .%s", path, strings.Join(Formats, ", ."))
}

// Write draws a figure as svg, png or pdf, or as a page that needs nothing but itself (html). The same drawing gives
// the same bytes.
func Write(w io.Writer, f *Figure, format string) error {
	if format == "html" {
		body, err := Fragment(f)
		if err != nil {
			return err
		}
		if width, height := f.sheet().size(); width > 1.5*height {
			body = landscape + body
		}
		return WritePage(w, cmp.Or(f.Title, f.Heading), body)
	}
	return f.sheet().write(w, format)
}

// canvas is a sheet of a format, which is written when everything is drawn.
type canvas interface {
	vg.CanvasSizer
	io.WriterTo
}

// write draws the sheet as svg, png or pdf. An SVG names the font in which the figure was set, and then fonts with the
// same widths on other systems. It gives the width of each text, so that a browser without these fonts can fit its own
// font to the width. A PDF carries its fonts and has no time of day, so that a figure is a function of its data.
func (s *sheet) write(w io.Writer, format string) error {
	width, height := s.size()
	var c canvas
	switch format {
	case "svg":
		c = lines{vgsvg.New(width, height)}
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	case "pdf":
		c = newPDF(width, height)
	default:
		return fmt.Errorf("chart: unknown format %q", format)
	}
	s.draw(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	text := b.Bytes()
	if format == "svg" {
		text = svgText().ReplaceAllFunc(text, portable)
	}
	_, err := w.Write(text)
	return err
}

// lines is a canvas of XML, on which characters do nothing but be seen.
type lines struct{ *vgsvg.Canvas }

// FillString writes text.
func (c lines) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, output.Line(text))
}

var svgText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`<text ([^>]*)style="font-family:[^;]*;([^"]*font-weight:([^;]*);[^"]*font-size:([0-9.]+)px[^"]*)">([^<]*)</text>`)
})

// portable returns an element of text of an SVG as other systems can show it. The element names fonts of the same widths, and
// has the width of the text in the font of the figure.
func portable(element []byte) []byte {
	m := svgText().FindSubmatch(element)
	size, err := strconv.ParseFloat(string(m[4]), 64)
	if err != nil {
		return element
	}
	wide := style(vg.Points(size), string(m[3]) != "normal").Width(html.UnescapeString(string(m[5])))
	return fmt.Appendf(nil, `<text %stextLength="%.2f" lengthAdjust="spacingAndGlyphs"`+
		` style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;%s">%s</text>`, m[1], wide.Points(), m[2], m[5])
}
