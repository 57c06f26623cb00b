package cmdtest

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/testdata/needs"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

// panels returns a figure of three panels with many long names.
func panels() *chart.Figure {
	x := []float64{0.1, 0.2, 0.3, 0.4}
	f := &chart.Figure{Heading: "Twelve lines", XLabel: "relative load", Strokes: []string{"dynamic", "best static"}}
	for i := range 3 {
		p := chart.Panel{Title: fmt.Sprintf("panel %d", i+1), YLabel: "seconds", MayLog: true}
		for k := range 6 {
			f.Series = append(f.Series, fmt.Sprintf("machine %d with bursty arrivals", k+1))
			y := []float64{1 + float64(k), 2, 4, 100}
			p.Lines = append(p.Lines, chart.Line{X: x, Y: y, Series: k}, chart.Line{X: x, Y: x, Series: k, Stroke: chart.Dashed})
		}
		f.Series = f.Series[:6]
		f.Panels = append(f.Panels, p)
	}
	return f
}

// TestPageInABrowser visits a page as a reader does, in windows of telephones, tablets and desks, by day and by night, and
// on paper.
func TestPageInABrowser(t *testing.T) {
	needs.Long(t, "starts a browser")
	visit, err := os.ReadFile("testdata/visit.js")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	var text bytes.Buffer
	if err := chart.Write(&text, panels(), "html"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	b := Start(t)
	var plots []image.Image
	for _, width := range []int{380, 800, 1400} {
		for _, scheme := range []string{"dark", "light"} {
			b.Window(width, 900, scheme)
			b.Open(page, "")
			plots = append(plots, plotsOf(t, b)...)
			found := b.Faults()
			var more []string
			b.Eval(string(visit), &more)
			for _, fault := range append(found, more...) {
				t.Errorf("%d pixels, %s: %s", width, scheme, fault)
			}
		}
	}
	b.Window(a4, 1000, "light")
	b.Media("print")
	for _, fault := range b.Faults() {
		t.Errorf("on paper: %s", fault)
	}
	for _, address := range b.Requests() {
		if address != "about:blank" && address != "file://"+page {
			t.Errorf("the page asked for %s", address)
		}
	}
	compareWithGolden(t, plots)
}

// a4 is the width of a page of paper without its margins, in the pixels of style sheets.
const a4 = 718

// plotsOf returns the panels of a page without their axes, as it shows them.
func plotsOf(t *testing.T, b *Browser) []image.Image {
	t.Helper()
	var boxes []struct{ X, Y, W, H int }
	b.Eval(`[...document.querySelectorAll(".u-over")].map((e) => { const r = e.getBoundingClientRect();
		return { X: Math.round(r.left + scrollX), Y: Math.round(r.top + scrollY), W: Math.round(r.width), H: Math.round(r.height) }; })`, &boxes)
	whole, err := png.Decode(bytes.NewReader(b.Picture()))
	if err != nil {
		t.Fatal(err)
	}
	var all []image.Image
	for _, box := range boxes {
		all = append(all, whole.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(box.X, box.Y, box.X+box.W, box.Y+box.H)))
	}
	return all
}

// The size of the small pictures that are kept: each pixel is the mean of some hundred.
const (
	smallWidth  = 24
	smallHeight = 16
)

// compareWithGolden holds the panels of all windows to what they were, in small. Fonts do not matter: the panels are without
// their axes, whose sizes are fixed, and have no text in them. What differs between systems is how edges of lines are
// smoothed; of a mean over some hundred pixels that is less than a hundredth. A line that is missing, or has another colour
// or place, changes the means that it goes through by a twentieth and more.
func compareWithGolden(t *testing.T, plots []image.Image) {
	t.Helper()
	const perRow, tolerance = 3, 8 // of 255
	sheet := image.NewRGBA(image.Rect(0, 0, perRow*smallWidth, (len(plots)+perRow-1)/perRow*smallHeight))
	for i, plot := range plots {
		shrink(sheet, image.Pt(i%perRow*smallWidth, i/perRow*smallHeight), plot)
	}
	const name = "testdata/panels.png"
	if *update {
		var out bytes.Buffer
		if err := png.Encode(&out, sheet); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != sheet.Bounds() {
		t.Fatalf("there are %d panels, not those of %s", len(plots), name)
	}
	worst := 0.0
	for y := range sheet.Bounds().Dy() {
		for x := range sheet.Bounds().Dx() {
			if off := distance(sheet.At(x, y), want.At(x, y)); off > tolerance {
				t.Errorf("panel %d looks different at %d, %d by %.0f of 255; -update if it should", y/smallHeight*perRow+x/smallWidth+1,
					x%smallWidth, y%smallHeight, off)
			} else {
				worst = max(worst, off)
			}
		}
	}
	t.Logf("panels differ from those of %s by at most %.1f of 255", name, worst)
}

// shrink draws a picture into a small part of another, each pixel the mean of those that it stands for.
func shrink(into *image.RGBA, at image.Point, from image.Image) {
	b := from.Bounds()
	for y := range smallHeight {
		for x := range smallWidth {
			var sum [3]float64
			n := 0.0
			for v := b.Min.Y + y*b.Dy()/smallHeight; v < b.Min.Y+(y+1)*b.Dy()/smallHeight; v++ {
				for u := b.Min.X + x*b.Dx()/smallWidth; u < b.Min.X+(x+1)*b.Dx()/smallWidth; u++ {
					r, g, bl, _ := from.At(u, v).RGBA()
					sum[0], sum[1], sum[2], n = sum[0]+float64(r>>8), sum[1]+float64(g>>8), sum[2]+float64(bl>>8), n+1
				}
			}
			mean := func(i int) uint8 { return uint8(math.Round(sum[i] / n)) }
			into.Set(at.X+x, at.Y+y, color.RGBA{mean(0), mean(1), mean(2), 255})
		}
	}
}

// distance returns the largest difference of a channel, of 255.
func distance(a, b color.Color) float64 {
	r, g, bl, _ := a.RGBA()
	s, h, cl, _ := b.RGBA()
	most := 0.0
	for _, pair := range [][2]uint32{{r, s}, {g, h}, {bl, cl}} {
		most = max(most, math.Abs(float64(pair[0])-float64(pair[1]))/257)
	}
	return most
}
