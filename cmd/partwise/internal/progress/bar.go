package progress

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// State is how far work has come.
type State struct {
	Fraction float64       // of the time that it takes; 0: not known yet
	Left     time.Duration // until it ends
	Details  string        // a few words more
	Measured bool          // the fraction is of costs that were measured, and may become smaller
}

// Display shows a state.
type Display func(State)

// Hidden shows nothing.
func Hidden(State) {}

// Of returns the state of work of which a fraction took the time passed.
func Of(fraction float64, passed time.Duration, details string) State {
	s := State{Fraction: fraction, Details: details}
	if fraction > 0 {
		s.Left = time.Duration(float64(passed) * (1 - fraction) / fraction)
	}
	return s
}

const (
	// patience is how long work takes at least of which anything is shown.
	patience = 500 * time.Millisecond
	// period is the time between two looks at the clock.
	period = 200 * time.Millisecond
	// widestBar is how many columns the bar itself may take, narrowestBar how many it needs.
	widestBar, narrowestBar = 30, 8
	clearLine               = "\r\x1b[K"
)

// Bar is one line of a terminal, drawn anew several times a second: the time left goes down between two states, too.
// Nothing is drawn of work that takes less than half a second.
type Bar struct {
	mu     sync.Mutex
	w      io.Writer
	width  func() int
	idle   string // what is done while there is no task
	what   string // the task
	tasks  int    // so far
	state  State
	shown  float64   // the largest fraction of the task that was drawn
	began  time.Time // when the task began
	heard  time.Time // when the state was told
	hidden time.Time
	drawn  bool
	closed bool
	done   chan struct{}
}

// NewBar returns a bar that says how long something has been done, until a task says more.
func NewBar(w io.Writer, width func() int, what string) *Bar {
	b := &Bar{w: w, width: width, idle: what, done: make(chan struct{})}
	b.begin(what)
	go b.run()
	return b
}

func (b *Bar) run() {
	wakeup := time.NewTicker(period)
	defer wakeup.Stop()
	for {
		select {
		case <-b.done:
			return
		case now := <-wakeup.C:
			b.draw(now)
		}
	}
}

// Task returns a display that shows the progress of a task instead of the task before, and a function that ends the task.
func (b *Bar) Task(what string) (show Display, end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks++
	task := b.tasks
	b.begin(what)
	ifCurrent := func(do func()) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if task == b.tasks {
			do()
		}
	}
	return func(s State) { ifCurrent(func() { b.state, b.heard = s, time.Now() }) },
		func() { ifCurrent(func() { b.begin(b.idle); b.tasks++ }) }
}

func (b *Bar) begin(what string) {
	b.erase()
	now := time.Now()
	b.what, b.state, b.shown, b.began, b.heard = what, State{}, 0, now, now
}

func (b *Bar) draw(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || now.Sub(b.began) < patience || now.Sub(b.hidden) < patience {
		return
	}
	b.drawn = true
	s, passed, ago := b.state, now.Sub(b.began), now.Sub(b.heard)
	if s.Fraction > 0 { // a bar does not go back
		b.shown = max(b.shown, s.Fraction)
		s.Fraction = b.shown
	}
	// A line that cannot be drawn is no reason to stop.
	_, _ = io.WriteString(b.w, clearLine+line(b.what, s, passed, ago, b.width()))
}

// Hide clears the line for half a second, to make room for something else.
func (b *Bar) Hide() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hidden = time.Now()
	b.erase()
}

func (b *Bar) erase() {
	if b.drawn {
		_, _ = io.WriteString(b.w, clearLine)
		b.drawn = false
	}
}

// Close clears the line for good.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.erase()
		b.closed = true
		close(b.done)
	}
}

// line returns the text for a state that was told some time ago, on a terminal of a width: the task, the fraction with a bar
// if there is room for one, the details and the time left. If the fraction is unknown, the text has the time passed.
func line(what string, s State, passed, ago time.Duration, width int) string {
	if s.Fraction <= 0 {
		return cut(join(", ", what, s.Details, seconds(passed)+" so far"), width)
	}
	before, after := fmt.Sprintf("%s %3.0f %%", what, math.Floor(100*s.Fraction)), join(", ", s.Details, seconds(max(0, s.Left-ago))+" left")
	room := width - 1 - len([]rune(before)) - len([]rune(after)) - 4 // its frame and spaces
	if room < narrowestBar {
		return cut(before+" "+after, width)
	}
	n := min(room, widestBar)
	full := int(s.Fraction * float64(n))
	return before + " |" + strings.Repeat("█", full) + strings.Repeat(" ", n-full) + "| " + after
}

// join joins the words that are not empty.
func join(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}

// cut returns a text that does not reach the last column, where terminals begin a new line.
func cut(text string, width int) string {
	if r := []rune(text); len(r) >= width {
		return string(r[:max(0, width-1)])
	}
	return text
}

// seconds returns a time in whole seconds.
func seconds(d time.Duration) string { return d.Round(time.Second).String() }

// Lines returns a display that prints a line, no more often than the interval.
func Lines(printf func(format string, args ...any), what string, interval time.Duration) Display {
	var mu sync.Mutex
	last := time.Now()
	return func(s State) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= interval && s.Fraction > 0 && s.Fraction < 1 {
			last = now
			printf("%s: %s", what, join(", ", fmt.Sprintf("%.0f %% done", 100*s.Fraction), s.Details,
				"about "+seconds(s.Left)+" left"))
		}
	}
}
