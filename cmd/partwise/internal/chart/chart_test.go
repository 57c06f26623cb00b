package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

// sample is a figure of two series, one with a gap.
func sample() *Figure {
	x := []float64{0.1, 0.2, 0.3, 0.4}
	gap := []float64{2, math.NaN(), 300, 4000}
	return &Figure{
		Title: "A < B & Ω", XLabel: "load", Series: []string{"a", "b"}, Strokes: []string{"dynamic", "static"},
		Panels: []Panel{
			{Title: "times", YLabel: "s", MayLog: true, Lines: []Line{{X: x, Y: gap}, {X: x, Y: x, Series: 1, Stroke: Dashed}}},
			{Title: "ratio", YLabel: "1", HasRule: true, Rule: 1, Lines: []Line{{X: x, Y: x}}},
			{Title: "nothing", YLabel: "1", FromZero: true},
		},
	}
}

func TestEveryFormatIsItselfAndRepeatable(t *testing.T) {
	magic := map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF-"}
	for _, format := range Formats {
		var first, second bytes.Buffer
		if err := errors.Join(Write(&first, sample(), format), Write(&second, sample(), format)); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if !strings.HasPrefix(first.String(), magic[format]) {
			t.Errorf("%s begins with %q", format, first.String()[:8])
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
	}
}

func TestSVGIsWellFormedAndNamesFontsThatExist(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample(), "svg"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"Arial,Helvetica,sans-serif", "textLength=", "A &lt; B &amp; Ω", ">b, static<", ">a<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
	if strings.Contains(text, "NaN") {
		t.Error("a gap was drawn")
	}
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPNGHasTheResolutionOfPrint(t *testing.T) {
	var b bytes.Buffer
	f := sample()
	if err := Write(&b, f, "png"); err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(&b)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := f.sheet().size()
	// A pixel is lost or won by rounding.
	if want := w.Points() / 72 * dpi; math.Abs(float64(config.Width)-want) > 1 {
		t.Errorf("%d pixels wide, want %.0f", config.Width, want)
	}
}

func TestFormat(t *testing.T) {
	for name, want := range map[string]string{"a.svg": "svg", "dir/B.PNG": "png", "c.d.pdf": "pdf", "x.gif": "", "a": ""} {
		if got, err := Format(name); got != want || (err == nil) != (want != "") {
			t.Errorf("Format(%q) = %q, %v", name, got, err)
		}
	}
}

func TestTicks(t *testing.T) {
	labels := func(lo, hi float64, log bool) string {
		var all []string
		ticks := linearTicks{6}.Ticks(lo, hi)
		if log {
			ticks = logTicks{}.Ticks(lo, hi)
		}
		for _, tick := range ticks {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, "|")
	}
	for _, c := range []struct {
		lo, hi float64
		log    bool
		want   string
	}{
		{0, 1, false, "0|0.2|0.4|0.6|0.8|1.0"},
		{0.9, 1.5, false, "0.9|1.0|1.1|1.2|1.3|1.4|1.5"},
		{0, 0.02, false, "0|0.005|0.010|0.015|0.020"},
		{0, 60000, false, "0|10,000|20,000|30,000|40,000|50,000|60,000"},
		{200, 20000, true, "200|500|1,000|2,000|5,000|10,000|20,000"},
		{0.01, 10000, true, "0.01|0.1|1|10|100|1,000|10,000"},
	} {
		if got := labels(c.lo, c.hi, c.log); got != c.want {
			t.Errorf("ticks from %v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// TestRangesHoldTheirData: whatever the data, ranges hold them and have a reasonable number of ticks.
func TestRangesHoldTheirData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		// Spans down to the rounding of lo, which once made ticks without end.
		hi := lo + math.Exp(rapid.Float64Range(-40, 14).Draw(t, "log span"))
		from, to := niceRange(lo, hi, 6)
		// A billionth of a step may be cut off, which no eye sees.
		slack := 1e-8 * (to - from)
		if !(from <= lo+slack && to >= hi-slack && to > from) {
			t.Fatalf("niceRange(%v, %v) = %v, %v", lo, hi, from, to)
		}
		if n := len(linearTicks{6}.Ticks(from, to)); n < 2 || n > 10 {
			t.Fatalf("%d ticks from %v to %v", n, from, to)
		}
		low := math.Exp(rapid.Float64Range(-20, 20).Draw(t, "log lo"))
		high := low * math.Exp(rapid.Float64Range(3, 20).Draw(t, "log span"))
		from, to = logRange(low, high)
		if !(from <= low*(1+1e-8) && to >= high*(1-1e-8)) {
			t.Fatalf("logRange(%v, %v) = %v, %v", low, high, from, to)
		}
		labelled := 0
		for _, tick := range (logTicks{}).Ticks(from, to) {
			if tick.Label != "" {
				labelled++
			}
		}
		if labelled < 2 || labelled > 14 {
			t.Fatalf("%d labels from %v to %v", labelled, from, to)
		}
	})
}

// TestTinyValues: values that are next to nothing are drawn as 0, with as many ticks as others.
func TestTinyValues(t *testing.T) {
	lo, hi := niceRange(0, 1e-320, 6)
	if n := len(linearTicks{6}.Ticks(lo, hi)); !(lo <= 0 && hi > 0) || n < 2 || n > 10 {
		t.Errorf("%d ticks from %v to %v", n, lo, hi)
	}
}

func TestRowsStandUnderTheirHeadings(t *testing.T) {
	one := sample()
	w, h := one.sheet().size()
	two := sample()
	two.Panels = append(two.Panels, two.Panels[:2]...) // the second row has a place that stays empty
	two.Rows = []string{"first row", "second row"}
	w2, h2 := two.sheet().size()
	if w2 > w || h2 < h+panelHeight {
		t.Errorf("a second row makes %v×%v of %v×%v", w2, h2, w, h)
	}
	var b bytes.Buffer
	if err := Write(&b, two, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">first row<", ">second row<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
	if n := strings.Count(b.String(), ">times<"); n != 2 {
		t.Errorf("%d panels of times, want 2", n)
	}
}

// TestNotes: notes stand below the panels in as many lines as they need, on a page as text, and take no room if there are none.
func TestNotes(t *testing.T) {
	f := &Figure{Panels: []Panel{{Lines: []Line{{X: Values{0, 1}, Y: Values{0, 1}}}}}}
	plain := drawn(t, f)
	f.Notes = []string{"gs: gang scheduling", strings.Repeat("a note that is longer than a panel is wide ", 5) + "<end>"}
	noted := drawn(t, f)
	for _, want := range []string{">gs: gang scheduling<", "&lt;end&gt;<"} {
		if strings.Contains(plain, want) || !strings.Contains(noted, want) {
			t.Errorf("%q is in one picture alone: %v, %v", want, strings.Contains(plain, want), strings.Contains(noted, want))
		}
	}
	if n := strings.Count(noted, "<text") - strings.Count(plain, "<text"); n < 4 {
		t.Errorf("a long note and a short one are %d lines", n)
	}
	part, err := Fragment(f)
	if err != nil || strings.Count(string(part), `<p class="note">`) != 2 || strings.Contains(string(part), ">gs: gang scheduling</text>") {
		t.Errorf("notes of a page, %v: %s", err, part)
	}
}

func drawn(t *testing.T, d *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRatiosStandOnALogarithmicAxis: on the axis of a ratio, 4 and 1/4 are equally far from 1, also where the axis is shorter than a
// decade; the labels of a short axis are those of a linear one.
func TestRatiosStandOnALogarithmicAxis(t *testing.T) {
	for _, c := range []struct {
		y      Values
		lo, hi float64
		labels int
	}{{Values{0.7, 1.3}, 0.7, 1.3, 7}, {Values{0.25, 4}, 0.2, 5, 5}, {Values{0.8, 7}, 0.7, 7, 6}, {Values{1, 96}, 0.5, 100, 8},
		{Values{1.2, 1.2}, 0.95, 1.2, 6}} {
		p := Panel{Log: true, HasRule: true, Rule: 1, Lines: []Line{{X: Values{1, 2}, Y: c.y}}}
		a := new(Figure).axes(&p)
		if !a.logY || math.Abs(a.y.lo-c.lo) > 1e-12 || math.Abs(a.y.hi-c.hi) > 1e-12 {
			t.Errorf("%v: from %v to %v, logarithmic %v", c.y, a.y.lo, a.y.hi, a.logY)
			continue
		}
		n := 0
		for _, tick := range a.yTicks.Ticks(a.y.lo, a.y.hi) {
			if tick.Label != "" {
				n++
			}
		}
		if n != c.labels {
			t.Errorf("%v: %d labels, want %d", c.y, n, c.labels)
		}
	}
}

// TestLimitIsDrawn: a line that grows without bound has a vertical line where it does, if the axis reaches so far.
func TestLimitIsDrawn(t *testing.T) {
	strokes := func(limit float64) int {
		var b bytes.Buffer
		f := &Figure{Panels: []Panel{{Lines: []Line{{X: Values{0.1, 0.7, 0.9}, Y: Values{1, 9, math.NaN()}, Limit: limit}}}}, Series: []string{"a"}}
		if err := Write(&b, f, "svg"); err != nil {
			t.Fatal(err)
		}
		return strings.Count(b.String(), "<path")
	}
	if none, some, outside := strokes(0), strokes(0.75), strokes(2); some != none+1 || outside != none {
		t.Errorf("%d, %d and %d strokes without, with and beyond", none, some, outside)
	}
}
