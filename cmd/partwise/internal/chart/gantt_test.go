package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/partwise/partwise/validate/machine"
)

func plan() *Figure {
	return Gantt(Figure{Title: "A < B", XLabel: "time [s]"}, 0, 10, []Schedule{
		{Name: "dynamic", Nodes: 4, Recorder: &machine.Recorder{Pieces: []machine.Piece{
			{Number: 0, From: 0, To: 4, Nodes: []int{0, 1, 3}},
			{Number: 0, From: 4, To: 5, Nodes: []int{0, 1}, Paused: true},
			{Number: 1, From: 5, To: 50, Nodes: []int{2, 3}},
		}, Queue: []machine.Step{{At: 0}, {At: 3, Waiting: 2}, {At: 6}}}},
		{Name: "static:300", Nodes: 300, Recorder: &machine.Recorder{}},
	})
}

func TestGanttInEveryFormat(t *testing.T) {
	for _, format := range Formats {
		var first, second bytes.Buffer
		if err := errors.Join(Write(&first, plan(), format), Write(&second, plan(), format)); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
	}
	if err := Write(io.Discard, plan(), "gif"); err == nil {
		t.Error("a gif was drawn")
	}
}

func TestGanttIsWellFormed(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, plan(), "svg"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">dynamic<", ">static:300<", ">queue | node<", "A &lt; B", ">1<", ">2<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
