package chart

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// TestPDFHasText: labels stand in a PDF as characters, of any alphabet and weight, with a table that says which character a glyph is.
func TestPDFHasText(t *testing.T) {
	p := newPDF(200, 100)
	p.SetColor(nil)
	p.FillString(face(12, true), point(10, 10), "response λ ≥ 1 s")
	p.Push()
	p.Rotate(math.Pi / 2)
	p.FillString(face(9, false), point(20, -30), "load")
	p.Pop()
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	text := inflated(t, b.Bytes())
	for _, want := range []string{"response λ ≥ 1 s", "load"} {
		if !strings.Contains(text, utf16Text(want)) {
			t.Errorf("no text %q", want)
		}
	}
	if !strings.Contains(b.String(), "/ToUnicode") || b.Len() > 60_000 {
		t.Errorf("%d bytes, with a table of characters: %v", b.Len(), strings.Contains(b.String(), "/ToUnicode"))
	}
}

// TestPDFKeepsPlaces: a point that was scaled, turned and moved lies where it belongs on a page whose ordinates point down.
func TestPDFKeepsPlaces(t *testing.T) {
	p := newPDF(200, 100)
	p.Translate(point(50, 20))
	p.Rotate(math.Pi / 2)
	p.Scale(2, 2)
	if x, y := p.at(point(10, 5)); math.Abs(x-40) > 1e-12 || math.Abs(y-60) > 1e-12 { // 50−2·5 to the right, 20+2·10 up
		t.Errorf("at %v, %v", x, y)
	}
}

// TestPDFDrawsCircles: the curves of a whole circle end where it began, and none of their corners lies inside of it.
func TestPDFDrawsCircles(t *testing.T) {
	var path vg.Path
	path.Move(point(60, 50))
	path.Arc(point(50, 50), 10, 0, 2*math.Pi)
	path.Close()
	p := newPDF(100, 100)
	p.doc.SetCompression(false)
	p.Fill(path)
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), " c\n"); n != 4 {
		t.Errorf("%d curves, want 4", n)
	}
}

// inflated returns the streams of a PDF that can be inflated, one after another.
func inflated(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for {
		_, rest, found := bytes.Cut(pdf, []byte("stream\n"))
		if !found {
			return all.String()
		}
		stream, after, _ := bytes.Cut(rest, []byte("endstream"))
		if r, err := zlib.NewReader(bytes.NewReader(stream)); err == nil {
			if _, err := io.Copy(&all, r); err != nil {
				t.Fatal(err)
			}
		}
		pdf = after
	}
}

// utf16Text returns a text without parentheses as strings of a PDF have it.
func utf16Text(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// face returns the font of figures in a size.
func face(size vg.Length, bold bool) font.Face {
	s := style(size, bold)
	return font.DefaultCache.Lookup(s.Font, size)
}
