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

// Display shows the state of a task, in place of the state that it showed before.
type Display func(State)

// Hidden is a [Display] that shows nothing.
func Hidden(State) {}

const (
	// patience is the time after which a task is shown: nobody waits for shorter tasks.
	patience = 500 * time.Millisecond
	// period is the time between two drawings.
	period = 200 * time.Millisecond
	// widestBar is the number of columns that the bar may take, narrowestBar the number below which there is no bar.
	widestBar, narrowestBar = 30, 8
	clearLine               = "\r\x1b[K"
	// echoed is the number of columns that are left for the ^C that a terminal shows behind the line, beside the last column. If ^C
	// went on in the next row, the line would stay.
	echoed = 1
)

// Bar shows progress as one line of a terminal. A goroutine draws the line several times a second, so that the time left goes down
// between two states, too. A task of less than half a second is not drawn. Bar is safe for concurrent use.
type Bar struct {
	mu     sync.Mutex
	w      io.Writer
	width  func() int
	idle   string // the text while there is no task
	what   string // the text of the task
	tasks  int    // number of tasks so far
	state  State
	shown  float64   // the largest fraction of the task that has been drawn
	began  time.Time // when the task began
	heard  time.Time // when the task told its state
	hidden time.Time
	drawn  bool
	closed bool
	done   chan struct{}
}

// NewBar returns a bar that writes to w, a terminal whose width in columns is width(). Until a task says more, the bar
// says how long what has been done. The caller must [Bar.Close] the bar.
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

// Task begins a task, in place of the task before. show shows the progress of the task, end ends the task. Both do
// nothing after the next task has begun.
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
	if s.Fraction > 0 { // users take a bar that goes back for a fault
		b.shown = max(b.shown, s.Fraction)
		s.Fraction = b.shown
	}
	// A terminal that cannot be written is no reason to stop the work.
	_, _ = io.WriteString(b.w, clearLine+line(b.what, s, passed, ago, b.width()-echoed))
}

// Hide clears the line for half a second, so that other text can be written in its place.
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

// Close clears the line and ends the goroutine that draws it.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.erase()
		b.closed = true
		close(b.done)
	}
}

// line returns the text of a state on a terminal of a width: the task, the fraction, the details and the time left.
// There is a bar if there is room for a bar. Without a fraction the text has the time passed. ago is the age of the
// state.
func line(what string, s State, passed, ago time.Duration, width int) string {
	if s.Fraction <= 0 {
		return cut(join(", ", what, s.Details, seconds(passed)+" so far"), width)
	}
	before, after := fmt.Sprintf("%s %3.0f %%", what, math.Floor(100*s.Fraction)), join(", ", s.Details,
		seconds(max(0, s.Left-ago))+" left")
	room := width - 1 - len([]rune(before)) - len([]rune(after)) - 4 // the frame of the bar, and spaces
	if room < narrowestBar {
		return cut(before+" "+after, width)
	}
	n := min(room, widestBar)
	full := int(s.Fraction * float64(n))
	return before + " |" + strings.Repeat("█", full) + strings.Repeat(" ", n-full) + "| " + after
}

// join returns the words that are not empty, with a separator between them.
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

// seconds returns a time as text, rounded to whole seconds.
func seconds(d time.Duration) string { return d.Round(time.Second).String() }

// Lines returns a display that prints a line of text with printf, no more often than once in an interval. The beginning and the
// end of the task are not printed.
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
