package chart

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestTiles(t *testing.T) {
	r := &Figure{Title: "A < B", XLabel: "nodes", Panels: []Panel{
		{Title: "halves", YLabel: "time", Tiles: []Tile{{X1: 4, Y1: 1}, {X0: 4, X1: 8, Y1: 1, Job: 13, Text: "13"}}, YNames: []Named{{0, "0"}, {1, "1"}}},
		{Title: "thin", Tiles: []Tile{{X1: 1, Y1: 1, Text: "77"}, {X0: 1, X1: 300, Y1: 1}}, YNames: []Named{{0.5, "1/2"}, {0.51, "near"}}},
	}}
	for _, format := range Formats {
		var first, second bytes.Buffer
		if err := errors.Join(Write(&first, r, format), Write(&second, r, format)); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
		if format != "svg" {
			continue
		}
		for _, want := range []string{">halves<", ">thin<", "A &lt; B", ">13<", ">1/2<", ">nodes<", ">time<"} {
			if !strings.Contains(first.String(), want) {
				t.Errorf("no %q in the SVG", want)
			}
		}
		for _, none := range []string{">77<", ">near<"} { // for which there is no room
			if strings.Contains(first.String(), none) {
				t.Errorf("%q in the SVG", none)
			}
		}
	}
}
