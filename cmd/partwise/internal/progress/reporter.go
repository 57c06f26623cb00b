package progress

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// Reporter tells on standard error what a command does: notes, warnings, and how far the command has come. A terminal has
// a line of progress; the log of a batch job gets a line of text every minute. A copy of a Reporter writes to the same place.
type Reporter struct {
	Stderr io.Writer
	Quiet  bool              // only errors are written
	Warned func(text string) // hears each warning, also a warning that is not written; nil: nobody
	warned *sync.Map         // the warnings so far
	bar    *Bar              // of a terminal; nil: there is no terminal
	part   *Part             // of the plan that shows one progress for several tasks; nil: there is no plan
}

// betweenLines is the time between two lines of text about progress.
const betweenLines = time.Minute

// Begin returns a reporter for a command. On a terminal it shows at once how long the command has been at work, until a task
// shows more. end ends the report.
func Begin(stderr io.Writer, quiet bool, command string) (r Reporter, end func()) {
	r = Reporter{Stderr: stderr, Quiet: quiet, warned: new(sync.Map)}
	if quiet || output.IsDumb() || !output.IsTerminal(stderr) {
		return r, func() {}
	}
	r.bar = NewBar(stderr, func() int { return output.Columns(stderr) }, command)
	return r, r.bar.Close
}

// Aside clears the line of progress, to make room for what is printed.
func (r Reporter) Aside() {
	if r.bar != nil {
		r.bar.Hide()
	}
}

// Warnf prints a warning, unless it was printed before: the series of a study have many in common.
func (r Reporter) Warnf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if r.warned != nil {
		if _, known := r.warned.LoadOrStore(text, true); known {
			return
		}
	}
	if r.Warned != nil {
		r.Warned(text)
	}
	r.Notef("warning: %s", text)
}

// Warn prints what is wrong, as warnings.
func (r Reporter) Warn(wrong ...error) {
	for _, err := range wrong {
		r.Warnf("%v", err)
	}
}

// Notef prints a note.
func (r Reporter) Notef(format string, args ...any) {
	if !r.Quiet {
		r.say(format, args...)
	}
}

// Errorf prints an error after which the command goes on.
func (r Reporter) Errorf(format string, args ...any) { r.say("error: "+format, args...) }

// say writes a line in place of the line of progress. An error of writing is not told: there is no other place for it.
func (r Reporter) say(format string, args ...any) {
	r.Aside()
	_, _ = io.WriteString(r.Stderr, output.Visible(fmt.Sprintf(format+"\n", args...)))
}

// Display returns a display for the progress of a task. clear removes what the display has drawn.
func (r Reporter) Display(task string) (show Display, clear func()) {
	switch {
	case r.part != nil:
		return r.part.Show, func() {}
	case r.Quiet:
		return Hidden, func() {}
	case r.bar != nil:
		return r.bar.Task(task)
	}
	return r.lines(task, betweenLines)
}

// lines returns a display that prints lines of text. Where it printed a line, end prints another one, once, that says how long
// the task took.
func (r Reporter) lines(task string, interval time.Duration) (show Display, end func()) {
	var printed atomic.Bool
	begin := time.Now()
	print := func(format string, args ...any) {
		printed.Store(true)
		r.Notef(format, args...)
	}
	return Lines(print, task, interval), func() {
		if printed.CompareAndSwap(true, false) {
			r.Notef("%s: ended after %s", task, seconds(time.Since(begin)))
		}
	}
}

// Progress returns a function that shows how many of n steps are done. The steps take about the same time each. clear removes
// what the function has drawn.
func (r Reporter) Progress(n int, task string) (step func(done int), clear func()) {
	show, clear := r.Display(task)
	begin := time.Now()
	return func(done int) {
		passed := time.Since(begin)
		show(Of(float64(done)/float64(max(n, 1)), passed, counted(done, n, passed)))
	}, clear
}

// counted returns the number of steps that are done, with their rate if the steps are fast.
func counted(done, n int, passed time.Duration) string {
	const many = 10 // steps a second
	words := fmt.Sprintf("%d of %d", done, n)
	rate := float64(done) / passed.Seconds()
	if rate >= many && !math.IsInf(rate, 1) {
		words += fmt.Sprintf(", %.0f/s", rate)
	}
	return words
}

// Foreseen returns a function that shows a task by the seconds that it took and the seconds that it is expected to take still.
// clear removes what the function has drawn.
func (r Reporter) Foreseen(task string) (show func(done, left float64), clear func()) {
	display, clear := r.Display(task)
	begin := time.Now()
	return func(done, left float64) {
		if done+left > 0 {
			state := Of(done/(done+left), time.Since(begin), "")
			state.Measured = true
			display(state)
		}
	}, clear
}

// Plan begins a plan of parts that are expected to take so many seconds each. clear removes what the plan has drawn.
func (r Reporter) Plan(task string, expected ...float64) (plan *Plan, clear func()) {
	show, clear := r.Display(task)
	return NewPlan(show, expected...), clear
}

// As returns a reporter that shows its progress as the progress of a part of a plan.
func (r Reporter) As(part *Part) Reporter {
	r.part = part
	return r
}

// Step returns the reporter of the i-th, from 0, of n equal steps of the reporter's part of a plan. Without a plan it returns
// the reporter itself.
func (r Reporter) Step(i, n int) Reporter {
	return r.As(r.part.Step(i, n))
}
