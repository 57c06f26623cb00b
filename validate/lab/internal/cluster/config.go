package cluster

import (
	"time"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
)

// Config describes a cluster and its programs. [Defaults] returns the cluster of the paper.
type Config struct {
	Nodes    int
	MPL      int           // the multiprogramming level: the largest number of processes on a node
	Policy   policy.Policy // policy.Gang or policy.Coscheduling
	Pattern  Pattern       // of the messages of all jobs
	Messages int           // to each neighbour in an iteration; 0: [Pattern.Messages]
	Skew     float64       // s: computation and I/O of each iteration vary by the factor 1 + U(−s/2, s/2); at most 2
	Costs    Costs
	Choices  Choices
	Key      des.Key // of the streams that skew and the phases of ticks are drawn from

	// The profile and the utilization are measured between From and To, in seconds. A To of 0 is the end of the last job.
	From, To float64
	// Stop ends the run, in seconds, with all jobs as they are then; 0: it ends with the last job.
	Stop float64
}

// Costs are the times that things take. Zeros are nothing.
type Costs struct {
	Switch      time.Duration // of the process on a node
	GangSwitch  time.Duration // to another row of the matrix, on all nodes
	GangQuantum time.Duration // of a row
	Tick        time.Duration // between two calls of the scheduler of a node; positive
	Interrupt   time.Duration
	Move        time.Duration // of a process from one queue to another
	Check       time.Duration // of the messages of a process
	Host        time.Duration // of the processor, to send or to receive a message
	Interface   time.Duration // of the network interface, for each message that leaves or arrives
	Wire        time.Duration // from one interface to another
	SpinTime    time.Duration // after which a process that waits for a message blocks or yields
}

// Choices are what the paper leaves open; the zero value is what brings out most of its results.
type Choices struct {
	PreemptedFirst bool // a process that is preempted goes to the head of its level, not to its tail
	WeakBoost      bool // a boosted process does not preempt one of the same level
	StrongWakeUp   bool // a process that is woken preempts one of the same level, as if it were boosted
	HalfDuplex     bool // messages that leave and messages that arrive share the network interface
	LowestFirst    bool // jobs are placed on the first nodes that have room, not on the least loaded
}

// Defaults returns the cluster of table 3 of the paper: 32 nodes, 5 processes on each, nearest neighbours, a skew of
// 20 %. The latency of 185.48 µs is divided between processors (3 µs), interfaces (85 µs) and the wire.
func Defaults(p policy.Policy) Config {
	return Config{Nodes: 32, MPL: 5, Policy: p, Pattern: NearestNeighbour, Skew: 0.2, Key: des.Seed(1), Costs: Costs{
		Switch: 200 * time.Microsecond, GangSwitch: 2 * time.Millisecond, GangQuantum: 200 * time.Millisecond,
		Tick: time.Millisecond, Interrupt: 50 * time.Microsecond, Move: 3 * time.Microsecond, Check: 2 * time.Microsecond,
		Host: 3 * time.Microsecond, Interface: 85 * time.Microsecond, Wire: 9480, SpinTime: 200 * time.Microsecond}}
}

// The largest clusters that are simulated.
const (
	MostNodes = 1 << 16
	MostMPL   = 1 << 10
)
