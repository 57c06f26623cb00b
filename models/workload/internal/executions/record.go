package executions

import (
	"cmp"
	"math"
)

// None stands for a number that a log does not tell.
const None = math.MaxUint32

// State tells how far a job came.
type State uint8

// The states. Folded is the state of a record that is a part of another record.
const (
	Completed State = iota
	Failed
	Cancelled
	Unknown // how it ended
	Running
	Resizing // the job went on with another number of nodes, in another record
	Pending
	Unstarted // cancelled before it started
	Folded
	States // the number of states
)

// IsOver reports whether a job that started has ended.
func (s State) IsOver() bool { return s <= Unknown }

// Key tells one job from another.
type Key struct {
	ID, Task  uint32 // of a task of an array: its number + 1; 0 of other jobs
	Cluster   uint16 // the number of the cluster or server; 0: the log does not tell
	Component uint8  // of a heterogeneous job: its number + 1; 0 of other jobs
}

// Compare compares jobs by number, cluster, task and component.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.ID, o.ID), cmp.Compare(k.Cluster, o.Cluster), cmp.Compare(k.Task, o.Task),
		cmp.Compare(k.Component, o.Component))
}

// isSameJob reports whether two keys are of one job, perhaps of two of its components.
func (k Key) isSameJob(o Key) bool { return k.ID == o.ID && k.Task == o.Task && k.Cluster == o.Cluster }

// Record is one execution of a job, in whole seconds. What is unknown is None.
type Record struct {
	Key
	State State
	Label uint8  // the number of the state as the log calls it; 0: the log has no names of states
	Line  uint32 // of the log, from 1
	Times
	Units, User, Group, Queue uint32
	Held                      uint32 // seconds from the submission until the job was eligible to start
	QOS, Nodes                uint32 // numbers of the quality of service and of the list of nodes; 0: not known
	CPUs                      uint32
}

// Times are the times of an execution.
type Times struct {
	Submit           uint32 // Unix time
	Wait, Run, Limit uint32
}

// start returns the Unix time of the start of an execution, of its submission if the start is not known.
func (t *Times) start() uint32 {
	if t.Wait == None {
		return t.Submit
	}
	return t.Submit + t.Wait
}

// end returns the Unix time of the end of an execution, 0 if it is not known.
func (t *Times) end() uint32 {
	if t.Wait == None || t.Run == None {
		return 0
	}
	return t.Submit + t.Wait + t.Run
}
