package progress

import (
	"fmt"
	"math"
	"time"
)

// Reporter shows how far a command has come: as a part of a plan, as a line of a terminal or, as in the log of a batch job, as a
// line of text every minute. The zero value shows nothing. A copy of a Reporter shows its progress in the same place.
type Reporter struct {
	Bar   *Bar                             // of a terminal; nil: there is no terminal
	Print func(format string, args ...any) // writes a line of text; nil: nothing is shown
	part  *Part                            // of the plan that shows one progress for several tasks; nil: there is no plan
}

// betweenLines is the time between two lines of text.
const betweenLines = time.Minute

// Display returns a display for the progress of a task. clear removes what the display has drawn.
func (r Reporter) Display(task string) (show Display, clear func()) {
	switch {
	case r.part != nil:
		return r.part.Show, func() {}
	case r.Bar != nil:
		return r.Bar.Task(task)
	case r.Print != nil:
		return Lines(r.Print, task, betweenLines), func() {}
	}
	return Hidden, func() {}
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
