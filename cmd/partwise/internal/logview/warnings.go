package logview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

// When a log raises warnings about its machine, or about the extract.
const (
	fewestForWarnings = 100   // jobs
	beyondMachine     = 0.005 // share of the time with more nodes in use than the machine has
	hardlyLoaded      = 0.1   // load
	longEdge          = 0.05  // share of the log in which the machine fills or empties
	fewestRunning     = 4     // jobs on average, below which a machine may be empty by chance
	shortTail         = 0.5   // of the time for which a running job goes on to run, on average; the last of several takes longer
)

// Warnings returns what the use of the nodes calls into question: the number of nodes, or whether the log has all jobs that ran at its
// beginning and at its end. It returns nothing for a log of few jobs.
func (l *Log) Warnings() (all []string) {
	if l.Logged == nil || l.Logged.Jobs < fewestForWarnings {
		return nil
	}
	u, w := &l.Logged.Use, &l.Logged.Waiting
	switch {
	case u.Beyond > beyondMachine:
		all = append(all, fmt.Sprintf("jobs held up to %s at once, and more than the machine of %s has for %s of the time: is --nodes right?",
			words.Count(u.Peak, l.unit), words.Count(l.nodes, l.unit), output.Tenths(u.Beyond)))
	case u.Load < hardlyLoaded && 2*u.Peak <= l.nodes && w.NoNodes <= w.Mean/100:
		all = append(all, fmt.Sprintf("no more than %s of %s were in use at once, and no job waited for nodes: is --nodes right?",
			output.Fixed(float64(u.Peak), 0), words.Count(l.nodes, l.unit)))
	}
	e := &u.Edges
	if e.Running < fewestRunning {
		return all
	}
	if e.Filling > longEdge*e.Span {
		all = append(all, fmt.Sprintf("the machine fills for the first %s of %s: jobs that ran when the log begins seem to be missing",
			output.Seconds(e.Filling), output.Seconds(e.Span)))
	}
	isCut := e.Tail < shortTail*e.Residual && e.Residual > longEdge*e.Span
	if isCut && len(l.source.Unfinished) == 0 { // jobs that still ran when the log ended are counted
		all = append(all, fmt.Sprintf("jobs start until %s before the last end, and running jobs go on for %s on average: jobs that still ran when the log "+
			"ends seem to be missing", output.Seconds(e.Tail), output.Seconds(e.Residual)))
	}
	return all
}
