package cluster

// Record is what became of a job. Times are in seconds.
type Record struct {
	Job
	Start, End float64 // placed on its nodes, and the end of its last process; when the run stopped if it stopped before
	// Nominal is the time of the job alone without skew: its iterations, a whole number, times their ideal time. It is
	// Dedicated but for rounding.
	Nominal float64
}

// Response returns the time from arrival to end.
func (r *Record) Response() float64 { return r.End - r.Arrival }

// Wait returns the time from arrival to placement.
func (r *Record) Wait() float64 { return r.Start - r.Arrival }

// Execution returns the time from placement to end.
func (r *Record) Execution() float64 { return r.End - r.Start }

// Slowdown returns the execution time divided by the execution time of the job alone without skew.
func (r *Record) Slowdown() float64 { return r.Execution() / r.Nominal }

// Profile says what processors do, as shares of their time, which sum to 1, in the order of [Activities].
type Profile [activities]float64

// Running returns the share of the time in which processes of jobs run: they compute, communicate or spin. Processors that are
// idle, switch or have other overhead run none.
func (p Profile) Running() float64 { return p[computing] + p[communicating] + p[spinning] }

// Activities names the shares of a profile, in order: communicate is sending messages, and receiving messages that are there.
// spin is waiting for messages on the processor. switch is switching between processes; overhead is interrupts, checks and
// moves between queues.
func Activities() []string {
	return []string{"compute", "communicate", "spin", "switch", "overhead", "idle"}
}

// Boosts counts the boosts of a periodic boost in the time of the profile: by the state S1 to S3 of the boosted process, and by
// its place behind the current process in the order of the node.
type Boosts struct {
	ByState    [3]int64
	ByPosition []int64
}

// Result is what became of a run.
type Result struct {
	Records []Record // of all jobs, in their order
	Profile Profile
	// Work is the nominal time of all iterations that processes completed in the time of the profile, over the time of
	// all nodes: the utilization demanded. It may exceed 1, as I/O overlaps with other work. Useful counts computation and
	// I/O alone.
	Work, Useful float64
	Span         float64 // seconds of the profile
	Boosts       Boosts
	Unfinished   int // jobs that had not ended when the run stopped
	Events       int64
}
