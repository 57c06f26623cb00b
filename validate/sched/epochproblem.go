package sched

import (
	"fmt"
	"math"
	"math/big"
)

// EpochProblem is a number of nodes and the jobs that share them.
type EpochProblem struct {
	Nodes int   // N
	Min   []int // by job: the least number of nodes on which it can run
}

// Check returns an error if the number of nodes is not from 1 to 2³⁰, or if there are no jobs. Each job must need at
// least one node, and no more nodes than there are; otherwise the error names the job.
func (p EpochProblem) Check() error {
	if p.Nodes < 1 || p.Nodes > mostNodes {
		return fmt.Errorf("sched: %d nodes; there must be 1 to %d", p.Nodes, mostNodes)
	}
	if len(p.Min) == 0 {
		return fmt.Errorf("sched: no jobs")
	}
	for j, m := range p.Min {
		if m < 1 || m > p.Nodes {
			return fmt.Errorf("sched: job %d needs %d nodes; on %d nodes a job can need 1 to %d", j, m, p.Nodes, p.Nodes)
		}
	}
	return nil
}

// mostNodes is the largest number of nodes, so that numbers of nodes can be packed into keys.
const mostNodes = 1 << 30

// EpochPiece is the part of a quantum that a job gets: Width nodes from node Offset on, from time Start to time End.
// Times are in units of 1/J of the quantum, with J jobs.
type EpochPiece struct{ Job, Offset, Width, Start, End int }

// area returns the node-time of the piece: nodes times units of 1/J of the quantum. A piece with an equal share of the
// machine has area N, the number of nodes.
func (p EpochPiece) area() int { return p.Width * (p.End - p.Start) }

// EpochSchedule divides a quantum on all nodes among jobs.
type EpochSchedule struct {
	Nodes  int
	Pieces []EpochPiece // one for each job, in the order in which the rule placed them
}

// Share returns a time of the schedule as a share of the quantum, which has as many units of time as pieces: t/len(s.Pieces). It is
// not a number without pieces.
func (s *EpochSchedule) Share(t int) float64 {
	if s == nil || len(s.Pieces) == 0 {
		return math.NaN()
	}
	return float64(t) / float64(len(s.Pieces))
}

// Fraction returns what [EpochSchedule.Share] returns as a fraction in lowest terms, such as 2/3, for tables. It is "" without
// pieces.
func (s *EpochSchedule) Fraction(t int) string {
	if s == nil || len(s.Pieces) == 0 {
		return ""
	}
	return big.NewRat(int64(t), int64(len(s.Pieces))).RatString()
}

// Overhead returns the sum of the widths of all pieces. It is the number of nodes that are reallocated in a quantum,
// because each piece gets its nodes once.
func (s *EpochSchedule) Overhead() int {
	sum := 0
	for i := range s.Pieces {
		sum += s.Pieces[i].Width
	}
	return sum
}

// NormalizedOverhead returns the overhead over the number of nodes: how often each node is reallocated in a quantum.
// For schedules in epochs it is the number of epochs.
func (s *EpochSchedule) NormalizedOverhead() float64 { return float64(s.Overhead()) / float64(s.Nodes) }
