package logstats

// Limits beyond which the use of the nodes calls the number of nodes, or the completeness of the log, into question.
const (
	fewestForWarnings = 100   // jobs
	beyondMachine     = 0.005 // share of the time with more nodes in use than the machine has
	hardlyLoaded      = 0.1   // load
	longEdge          = 0.05  // share of the log in which the machine fills or empties
	fewestRunning     = 4     // jobs on average, below which a machine may be empty by chance
	shortTail         = 0.5   // of the mean remaining time of a running job; the last of several jobs runs longer
	nearlyAll         = 0.95  // share of the mean wait in which the nodes were free
	manyRuns          = 10    // mean waits over the mean run time
)

// Exceeds reports whether jobs held more nodes at once than the machine has, for more than a moment.
func (u *Use) Exceeds() bool { return u.Beyond > beyondMachine }

// MachineWarnings report whether the use of the nodes calls the number of nodes, or the completeness of the log, into question.
type MachineWarnings struct {
	Exceeded   bool // jobs held more nodes at once than the machine has, see [Use.Exceeds]
	HardlyUsed bool // at most half of the nodes were in use at once, the load is small, and no job waited for nodes
	// RunsShort: the load is small, and jobs waited for many mean run times beside free nodes. The run times seem to be too short, as in
	// minutes.
	RunsShort bool
	FillsLate bool // the machine fills for long: jobs that ran when the log begins seem to be missing
	EndsEarly bool // the last end comes soon after the last start: jobs that ran when the log ends seem to be missing
}

// MachineWarnings returns the warnings about a machine of so many nodes on which the jobs ran. Fewer than 100 jobs raise no warning.
// Jobs that still ran when the log ended may explain EndsEarly, if the log lists them.
func (l *Logged) MachineWarnings(nodes int) (m MachineWarnings) {
	if l == nil || l.Jobs < fewestForWarnings {
		return m
	}
	u, w, e := &l.Use, &l.Waiting, &l.Use.Edges
	m.Exceeded = u.Exceeds()
	m.HardlyUsed = !m.Exceeded && u.Load < hardlyLoaded && 2*u.Peak <= nodes && w.NoNodes <= w.Mean/100
	in, meanRun := l.WithinPools(), l.MeanResponseTime-w.Mean
	m.RunsShort = !m.Exceeded && u.Load < hardlyLoaded && in.NodesFree >= nearlyAll*in.Mean && in.Mean > manyRuns*meanRun
	if e.Running < fewestRunning {
		return m
	}
	m.FillsLate = e.Filling > longEdge*e.Span
	m.EndsEarly = e.Tail < shortTail*e.Residual && e.Residual > longEdge*e.Span
	return m
}
