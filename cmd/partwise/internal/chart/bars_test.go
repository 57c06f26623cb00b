package chart

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestBars(t *testing.T) {
	b := &Figure{Title: "A < B", Panels: []Panel{
		{Title: "one", YLabel: "seconds", Parts: []string{"wait", "run"}, Top: 10,
			Bars: []StackedBar{{"short", []float64{1, 2}, ""}, {"long", []float64{8, 52}, "> "}}},
		{Title: "two", YLabel: "share", Parts: []string{"a", "b"}, Bars: []StackedBar{{"all", []float64{.25, .75}, ""}}},
		{Title: "none"},
	}}
	for _, format := range Formats {
		var first, second bytes.Buffer
		if err := errors.Join(Write(&first, b, format), Write(&second, b, format)); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
		if format != "svg" {
			continue
		}
		for _, want := range []string{">wait<", ">run<", "A &lt; B", ">short<", ">long<", ">&gt; 60 = 8 + 52<", ">seconds<", ">none<"} {
			if !strings.Contains(first.String(), want) {
				t.Errorf("no %q in the SVG", want)
			}
		}
		if strings.Contains(first.String(), "#-") { // gonum/plot divides by the opacity of a colour
			t.Error("the SVG has a colour that is none")
		}
	}
}
