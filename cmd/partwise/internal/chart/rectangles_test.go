package chart

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRectangles(t *testing.T) {
	r := &Rectangles{Title: "A < B", XLabel: "nodes", YLabel: "time", All: []Rectangle{
		{Name: "halves", Width: 8, Tiles: []Tile{{0, 0, 4, 0, 1}, {13, 4, 8, 0, 1}}, Marks: []Mark{{0, "0"}, {1, "1"}}},
		{Name: "thin", Width: 300, Tiles: []Tile{{77, 0, 1, 0, 1}}, Marks: []Mark{{0.5, "1/2"}, {0.51, "near"}}},
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
