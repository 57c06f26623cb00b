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

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
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

// Write draws a figure as svg, png or pdf, or as a page that needs nothing but itself (html). The same drawing gives the same bytes.
func Write(w io.Writer, f *Figure, format string) error {
	s := f.sheet()
	switch format {
	case "svg":
		return s.writeSVG(w)
	case "png":
		width, height := s.size()
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
		s.draw(c)
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	case "pdf":
		return s.writePDF(w)
	case "html":
		body, err := Fragment(f)
		if err != nil {
			return err
		}
		return WritePage(w, cmp.Or(f.Title, f.Heading), body)
	}
	return fmt.Errorf("chart: unknown format %q", format)
}

// writeSVG names, after the font the figure was set in, others of the same widths that one system or another has, and
// tells the width of each text, to which a browser without any of them fits what it has.
func (s *sheet) writeSVG(w io.Writer) error {
	c := vgsvg.New(s.size())
	s.draw(lines{c})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(svgText.ReplaceAllFunc(b.Bytes(), portable))
	return err
}

// lines is a canvas of XML, on which characters do nothing but be seen.
type lines struct{ *vgsvg.Canvas }

// FillString writes text.
func (c lines) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, output.Line(text))
}

var svgText = regexp.MustCompile(
	`<text ([^>]*)style="font-family:[^;]*;([^"]*font-weight:([^;]*);[^"]*font-size:([0-9.]+)px[^"]*)">([^<]*)</text>`)

func portable(element []byte) []byte {
	m := svgText.FindSubmatch(element)
	size, err := strconv.ParseFloat(string(m[4]), 64)
	if err != nil {
		return element
	}
	wide := style(vg.Points(size), string(m[3]) != "normal").Width(html.UnescapeString(string(m[5])))
	return fmt.Appendf(nil, `<text %stextLength="%.2f" lengthAdjust="spacingAndGlyphs"`+
		` style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;%s">%s</text>`, m[1], wide.Points(), m[2], m[5])
}

// writePDF needs no fonts and takes out the time of day, so that a figure is a function of its data.
func (s *sheet) writePDF(w io.Writer) error {
	c := vgpdf.New(s.size())
	s.draw(outlined{c})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(pdfDate.ReplaceAll(b.Bytes(), []byte("Date (D:20000101000000")))
	return err
}

// pdfDate matches as many bytes as replace it: the table of a PDF holds offsets.
var pdfDate = regexp.MustCompile(`Date \(D:[0-9]{14}`)
