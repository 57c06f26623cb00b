package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func plan() *Gantt {
	return &Gantt{Title: "A < B", XLabel: "time [s]", From: 0, To: 10, Schedules: []Schedule{
		{Name: "dynamic", Nodes: 4, Bars: []Bar{
			{Job: 1, From: 0, To: 4, Rows: []int{0, 1, 3}},
			{Job: 1, From: 4, To: 5, Rows: []int{0, 1}, Paused: true},
			{Job: 2, From: 5, To: 50, Rows: []int{2, 3}},
		}, Queue: []Level{{0, 0}, {3, 2}, {6, 0}}},
		{Name: "static:300", Nodes: 300},
	}}
}

func TestGanttInEveryFormat(t *testing.T) {
	for _, format := range Formats {
		var first, second bytes.Buffer
		if err := errors.Join(plan().Write(&first, format), plan().Write(&second, format)); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
	}
	if err := plan().Write(io.Discard, "gif"); err == nil {
		t.Error("a gif was drawn")
	}
}

func TestGanttIsWellFormed(t *testing.T) {
	var b bytes.Buffer
	if err := plan().Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">dynamic<", ">static:300<", ">queue<", "A &lt; B", ">1<", ">2<"} {
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
