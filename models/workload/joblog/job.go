package joblog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Job is one job of a log. Times are in seconds, Submit from the start of the log. In the fields of the Standard Workload Format
// −1 stands for what the log does not tell; the others are 0 then. Submit, Run and Processors suffice for a replay, where an Estimate
// of 0 is unknown, too, and Status does not matter unless a [Range] selects by it.
type Job struct {
	ID                  int
	Submit, Wait, Run   float64
	Processors          int     // allocated
	ProcessorTime       float64 // average per processor
	Memory              float64 // average per processor, kilobytes
	RequestedProcessors int
	Estimate            float64 // requested run time
	RequestedMemory     float64
	Status              Status
	User, Group         int
	Application         int
	Queue, Partition    int
	Preceding           int     // the job that this one waited for before it was submitted
	ThinkTime           float64 // between its end and this submission

	// Held is the time from the submission until the job was eligible to start: dependencies, holds and begin times last so long.
	Held float64
	// State, QOS, Cluster and NodeList are numbers from 1 of names in [Names]. State is the state as the log calls it, QOS the
	// quality of service, and Cluster the cluster or server whose number the ID is. NodeList is the list of the nodes where the job
	// ran, if [Options.NodeNames] asks for it.
	State, QOS, Cluster, NodeList int32
	// Task and Component are 1 more than the number of the task of an array and of the component of a heterogeneous job; 0 of other
	// jobs. Tasks that waited together in one line have the task −1.
	Task, Component int32
	// CPUs are those on all its nodes together, if [Options.CPUs] asks for them and sizes count nodes; 0 where the log does not tell.
	CPUs int32
	// Pieces are those of a job whose nodes changed while it ran, in order; nil of other jobs. Processors is their mean then.
	Pieces []Piece
}

// Piece is a part of the run of a job in which it had the same nodes.
type Piece struct {
	After float64 // seconds from the start of the job to the start of the piece
	Run   float64 // seconds
	Nodes int
}

// Status tells how a job ended.
type Status int

// The statuses of the format.
const (
	notTold   Status = -1
	Failed    Status = 0
	Completed Status = 1
	Cancelled Status = 5 // 2: to be continued; 3 and 4: the last of several parts, completed or failed
)

// statuses are the names of the statuses, from notTold on.
var statuses = []string{"unknown", "failed", "completed", "partial", "last-part", "broken-end", "cancelled"}

// String returns the name of the status, its number if it is not one of the format.
func (s Status) String() string {
	if i := int(s) + 1; i >= 0 && i < len(statuses) {
		return statuses[i]
	}
	return strconv.Itoa(int(s))
}

// ParseStatus returns the status of a name or number.
func ParseStatus(text string) (Status, error) {
	for i, name := range statuses {
		if name == text {
			return Status(i - 1), nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < int(notTold) || n > int(Cancelled) {
		return 0, fmt.Errorf("joblog: %q is not a status: use %s", text, strings.Join(statuses, ", "))
	}
	return Status(n), nil
}

// Nodes returns the processors allocated, or those requested where the log does not know.
func (j *Job) Nodes() int {
	if j.Processors > 0 {
		return j.Processors
	}
	return j.RequestedProcessors
}

// NodeTime returns the node-seconds that the job held, those of its pieces if its nodes changed. It is 0 where the log does not
// tell them, or where the run time cannot be right.
func (j *Job) NodeTime() float64 {
	if !(j.Run <= Longest) {
		return 0
	}
	if j.Pieces != nil {
		return heldIn(j.Pieces)
	}
	return max(j.Run, 0) * float64(max(j.Nodes(), 0))
}

// heldIn returns the node-seconds of pieces.
func heldIn(pieces []Piece) (nodeSeconds float64) {
	for _, p := range pieces {
		nodeSeconds += p.Run * float64(p.Nodes)
	}
	return nodeSeconds
}

// Longest is the longest time that a job may come after the begin of the log, or run: some 3,000 years. Schedules are
// made in floating-point numbers, which lose run times of seconds beside times that are much longer.
const Longest = 1e11

// Name returns the number of the job as its batch system writes it: 12, or 12_3 for a task of an array of Slurm, 12[3] of PBS, and
// 12+1 for a component of a heterogeneous job.
func (f Format) Name(j *Job) string {
	name := strconv.Itoa(j.ID)
	switch {
	case j.Task < 0:
		name += "_[…]"
	case j.Task > 0 && f == pbsFormat.name:
		name += "[" + strconv.Itoa(int(j.Task-1)) + "]"
	case j.Task > 0:
		name += "_" + strconv.Itoa(int(j.Task-1))
	}
	if j.Component > 0 {
		name += "+" + strconv.Itoa(int(j.Component-1))
	}
	return name
}

// Problem returns the reason why the job cannot be run again on a machine with the given number of nodes; "" if it can.
// The words are the same for all jobs with the same problem. 0 nodes stand for any number.
func (j *Job) Problem(nodes int) string {
	switch n := j.Nodes(); {
	case !(j.Submit >= 0):
		return logtext.NoSubmitTime
	case !(j.Run >= 0):
		return logtext.NoRunTime
	case n <= 0:
		return logtext.NoProcessors
	case nodes > 0 && n > nodes:
		return "more processors than the machine has"
	case !(max(j.Submit, j.Run, j.Estimate) <= Longest):
		return "a time of more than 3,000 years"
	}
	return ""
}
