package progress

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Where no bar can be drawn, lines tell of the progress, but not of its beginning and its end, and not more often than the
// interval.
func TestLines(t *testing.T) {
	var b bytes.Buffer
	print := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	show := Lines(print, "solving", 0)
	for done := range 5 {
		show(Of(float64(done)/4, time.Minute, fmt.Sprintf("%d of 4", done)))
	}
	want := "solving: 25 % done, 1 of 4, about 3m0s left\nsolving: 50 % done, 2 of 4, about 1m0s left\n" +
		"solving: 75 % done, 3 of 4, about 20s left\n"
	if b.String() != want {
		t.Errorf("said %q", &b)
	}
	b.Reset()
	show = Lines(print, "solving", time.Hour)
	for done := range 5 {
		show(Of(float64(done)/4, time.Minute, ""))
	}
	if b.Len() > 0 {
		t.Errorf("said %q within an hour", &b)
	}
}

// The line fits the terminal, its bar where there is room; between two states the time left goes on.
func TestLine(t *testing.T) {
	half := Of(0.5, 10*time.Second, "7 of 14 points")
	for _, c := range []struct {
		state State
		ago   time.Duration
		width int
		want  string
	}{
		{half, 0, 100, "solving  50 % |███████████████               | 7 of 14 points, 10s left"},
		{half, 0, 60, "solving  50 % |█████████         | 7 of 14 points, 10s left"},
		{half, 0, 40, "solving  50 % 7 of 14 points, 10s left"},
		{half, 0, 20, "solving  50 % 7 of "},
		{half, 5 * time.Second, 40, "solving  50 % 7 of 14 points, 5s left"},
		{half, 30 * time.Second, 40, "solving  50 % 7 of 14 points, 0s left"},
		{State{}, 0, 40, "solving, 10s so far"},
	} {
		if got := line("solving", c.state, 10*time.Second, c.ago, c.width); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
}

// Of short work nothing is drawn; of other work there is nothing left when it is over, or when something else is written.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	wide := func() int { return 80 }
	b := NewBar(&out, wide, "solve")
	show, end := b.Task("solving")
	show(Of(0.5, time.Second, ""))
	end()
	b.Close()
	b.Close()
	if out.Len() > 0 {
		t.Errorf("drew %q", &out)
	}
	now := time.Now()
	b = &Bar{w: &out, width: wide, idle: "solve", what: "solve", began: now, heard: now, done: make(chan struct{})}
	later := now.Add(1100 * time.Millisecond)
	b.draw(later)
	first, end := b.Task("solving")
	first(Of(0.5, time.Second, ""))
	b.draw(later)
	b.Hide()
	b.draw(later)
	b.Hide()
	b.draw(now)
	b.draw(later)
	end()
	b.draw(later.Add(time.Second))
	first(Of(0.9, time.Second, "")) // too late
	second, _ := b.Task("reading")
	second(State{})
	b.draw(later)
	b.Close()
	b.draw(later)
	got := strings.Split(out.String(), clearLine)
	for i, text := range []string{"", "solve, 1s so far", "", "solving .*left", "", "solving .*left", "", "solving .*left", "",
		"solve, 2s so far", "", "reading, 1s so far", ""} {
		if i >= len(got) || !regexp.MustCompile("^"+text+"$").MatchString(got[i]) {
			t.Fatalf("drew %q, number %d is not %q", got, i, text)
		}
	}
}

// TestBarLeavesRoomForInterrupts: the ^C that a terminal shows behind the line fits into its row. Otherwise ^C ends in the next
// row, and the line can no longer be cleared.
func TestBarLeavesRoomForInterrupts(t *testing.T) {
	for _, columns := range []int{20, 40, 60, 100} {
		var out bytes.Buffer
		now := time.Now()
		b := &Bar{w: &out, width: func() int { return columns }, what: "solving", began: now, heard: now, done: make(chan struct{})}
		b.state = Of(0.5, 10*time.Second, strings.Repeat("7 of 14 points ", 8))
		b.draw(now.Add(time.Second))
		drawn := []rune(strings.TrimPrefix(out.String(), clearLine) + "^C")
		if len(drawn) != columns {
			t.Errorf("%d columns with ^C of a terminal of %d", len(drawn), columns)
		}
	}
}

// A state that promises less than was drawn does not move the bar back; the next task begins at its own fraction.
func TestBarDoesNotGoBack(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	b := &Bar{w: &out, width: func() int { return 80 }, what: "solving", began: now, heard: now, done: make(chan struct{})}
	b.state = Of(0.5, 10*time.Second, "")
	var drawn []string
	draw := func(after time.Duration) {
		out.Reset()
		b.draw(now.Add(after))
		drawn = append(drawn, regexp.MustCompile(`\d+ %`).FindString(out.String()))
	}
	draw(5 * time.Second)
	b.state, b.heard = Of(0.8, 8*time.Second, ""), now.Add(8*time.Second)
	draw(8 * time.Second)
	b.state, b.heard = Of(0.4, 9*time.Second, ""), now.Add(9*time.Second)
	draw(9 * time.Second)
	b.begin("writing")
	b.state, b.began, b.heard = Of(0.1, time.Second, ""), now, now
	draw(time.Second)
	if got := strings.Join(drawn, ", "); got != "50 %, 80 %, 80 %, 10 %" {
		t.Errorf("drew %q", drawn)
	}
}

// TestLinesEnd: a task of which lines were printed ends with a line, once; a task without lines says nothing.
func TestLinesEnd(t *testing.T) {
	var out strings.Builder
	r := Reporter{Stderr: &out}
	_, end := r.lines("solving", 0)
	end()
	show, end := r.lines("solving", 0)
	show(Of(.85, time.Minute, ""))
	end()
	end()
	if want := "solving: 85 % done, about 11s left\nsolving: ended after 0s\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
