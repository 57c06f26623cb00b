package chart

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/machine"
)

func TestMain(m *testing.M) { needs.Main(m) }

// pageOf returns the page of a picture.
func pageOf(t *testing.T, d *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d, "html"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// outside matches what would make a browser ask for another file.
var outside = regexp.MustCompile(`(?i)<link|\bsrc\s*=|href\s*=\s*["'][^#]|url\(|@import|fetch\(|XMLHttpRequest|import\(`)

func TestPageNeedsNothingElse(t *testing.T) {
	gantt := Gantt(Figure{Title: "two jobs", XLabel: "s"}, 0, 10, []Schedule{{Name: "dynamic", Nodes: 2,
		Recorder: &machine.Recorder{Pieces: []machine.Piece{
			{Number: 0, To: 4, Nodes: []int{0, 1}}, {Number: 1, From: 4, To: 9, Nodes: []int{1}, Paused: true}}}}})
	for name, text := range map[string]string{"figure": pageOf(t, sample()), "gantt": pageOf(t, gantt)} {
		if found := outside.FindString(text); found != "" {
			t.Errorf("the page of a %s asks for more: %s", name, found)
		}
		for _, want := range []string{"<!DOCTYPE html>", "The MIT License", "Copyright (c) 2022 Leon Sorokin", "<svg"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page of a %s lacks %q", name, want)
			}
		}
	}
	text := pageOf(t, gantt)
	for _, want := range []string{"<title>job 1: nodes 1–2, 0 to 4</title>",
		"<title>job 2, stopped for a repartition: node 2, 4 to 9</title>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the Gantt chart", want)
		}
	}
}

func TestNamesCannotBreakThePage(t *testing.T) {
	f := sample()
	f.Title, f.Series[0] = `</title><script>alert(1)</script>`, `</script><b>`
	text := pageOf(t, f)
	if strings.Contains(text, "<script>alert") || strings.Contains(text, "</script><b>") {
		t.Error("a name became part of the page's code")
	}
}

// TestPageRuns runs the scripts of a page against as much of a browser as they need, see testdata/dom.js.
func TestPageRuns(t *testing.T) {
	node := needs.Program(t, "node")
	x := []float64{0.1, 0.2, 0.3, 0.4}
	f := &Figure{XLabel: "load", Series: []string{"a", "b"}, Strokes: []string{"dynamic", "static"}, Panels: []Panel{
		{Title: "times", YLabel: "s", MayLog: true, Lines: []Line{
			{X: x, Y: []float64{2, math.NaN(), 300, 4000}}, {X: []float64{0.15, 0.3}, Y: []float64{7, 9}, Series: 1, Stroke: Dashed}}},
		{Title: "ratio", YLabel: "1", HasRule: true, Rule: 1, Lines: []Line{{X: x, Y: x, Dots: true}, {X: x, Y: x, Series: 1}}},
		{Title: "nothing", YLabel: "1", FromZero: true},
	}}
	cmd := exec.CommandContext(t.Context(), node, "testdata/dom.js")
	cmd.Stdin, cmd.Stderr = strings.NewReader(pageOf(t, f)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type ran struct {
		Drawn         bool
		Entries       [][]string
		Before, After [][]bool
		Gaps          [][]int
		Ranges        [][]float64
		Tip           string
	}
	var got ran
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := ran{
		Drawn:   true,
		Entries: [][]string{{"a", "b", "dynamic", "static"}},
		Before:  [][]bool{{true, true}, {true, true}, {}},
		After:   [][]bool{{false, true}, {false, true}, {}}, // the first name was unticked
		Gaps:    [][]int{{1, 0}, {0, 0}, {}},                // where a line is interrupted; not where it has no point
		Tip:     "load 0.3 a, dynamic 300 b, static 9",
	}
	for i := range f.Panels { // the ranges of the printed picture
		a := f.axes(&f.Panels[i])
		want.Ranges = append(want.Ranges, []float64{a.x.lo, a.x.hi, a.y.lo, a.y.hi})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

// TestHeadingOfAPage: a page has a heading of its own where the picture has no title; on paper it does not appear.
func TestHeadingOfAPage(t *testing.T) {
	f := sample()
	f.Title, f.Heading = "", "What is compared"
	if text := pageOf(t, f); !strings.Contains(text, "<h1>What is compared</h1>") {
		t.Error("the page has no heading")
	}
	var paper bytes.Buffer
	if err := Write(&paper, f, "svg"); err != nil || strings.Contains(paper.String(), "What is compared") {
		t.Errorf("the heading is part of the picture; error %v", err)
	}
}

// TestDotsInLegends: a series of which only points are drawn has no line in a legend, one that has a line anywhere does.
func TestDotsInLegends(t *testing.T) {
	dots, line := Line{X: []float64{1, 2}, Y: []float64{1, 2}, Dots: true}, Line{X: []float64{1, 2}, Y: []float64{2, 1}, Series: 1}
	also := line
	also.Dots = true
	f := &Figure{Series: []string{"data", "fit"}, Panels: []Panel{{Lines: []Line{dots, line}}, {Lines: []Line{dots, also}}}}
	for i, want := range []bool{true, false} {
		if got := f.forPage().Series[i].Dots; got != want {
			t.Errorf("%s: dots %v, want %v", f.Series[i], got, want)
		}
		if got := f.legend(f.names())[i].stroke.Width == 0; got != want {
			t.Errorf("%s: no line on paper %v, want %v", f.Series[i], got, want)
		}
	}
}

// TestWidePicturesArePrintedAcrossThePaper: a page of one picture is printed across the paper if the picture is wide.
func TestWidePicturesArePrintedAcrossThePaper(t *testing.T) {
	for columns, want := range map[int]bool{1: false, 3: true} {
		f := &Figure{Series: []string{"a"}, Columns: columns}
		for range 3 {
			f.Panels = append(f.Panels, Panel{Lines: []Line{{X: Values{1, 2}, Y: Values{1, 2}}}})
		}
		var page bytes.Buffer
		if err := Write(&page, f, "html"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), string(landscape)); got != want {
			t.Errorf("%d columns: printed across the paper: %t", columns, got)
		}
	}
}

// TestAnAxisOfZeros: values that are all zero have an axis without numbers below zero.
func TestAnAxisOfZeros(t *testing.T) {
	if lo, hi := niceRange(0, 0, yParts); lo != 0 || hi != 1 {
		t.Errorf("the axis goes from %g to %g", lo, hi)
	}
}
