package joblog

import (
	"fmt"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/packed"
)

// storedJobs are the jobs of records in a store, in some order. The records are packed.
type storedJobs struct {
	*store
	list  packed.Order
	begin uint32 // Unix time at which the log begins
}

// set makes j the i-th job.
func (s *storedJobs) set(j *Job, i int) {
	v := s.records.Numbers(s.list.At(i))
	s.fill(j, s.list.At(i), &v)
}

// each gives the jobs one by one, until take returns false.
func (s *storedJobs) each(take func(*Job) bool) {
	var j Job
	cursor := s.records.Cursor()
	for k := range s.list.Len() {
		i := s.list.At(k)
		if s.fill(&j, i, cursor.At(i)); !take(&j) {
			return
		}
	}
}

// fill makes j the job of record i with the given numbers.
func (s *storedJobs) fill(j *Job, i uint32, v *packed.Numbers) {
	*j = blankJob
	j.ID, j.Submit = int(v[executions.ID]), float64(int64(v[executions.Submit])-int64(s.begin))
	j.Processors, j.Status = int(v[executions.Units]), statusOf[v[executions.StateOf]]
	j.Wait, j.Run, j.Estimate = told(v[executions.Wait]), told(v[executions.Run]), told(v[executions.Limit])
	j.User, j.Group, j.Queue = number(v[executions.User]), number(v[executions.Group]), number(v[executions.Queue])
	if s.partitions {
		j.Queue, j.Partition = -1, j.Queue
	}
	j.Held, j.State, j.Cluster = float64(v[executions.Held]), int32(v[executions.Label]), int32(v[executions.Cluster])
	j.QOS, j.NodeList, j.CPUs = int32(v[executions.QOS]), int32(v[executions.Nodes]), int32(v[executions.CPUs])
	j.Task, j.Component = int32(v[executions.Task]), int32(v[executions.Component])
	if len(s.pieces) > 0 {
		j.Pieces = s.pieces[i]
	}
}

// statusOf are the statuses of states.
var statusOf = [executions.States]Status{executions.Completed: Completed, executions.Failed: Failed, executions.Cancelled: Cancelled,
	executions.Unknown: notTold, executions.Running: notTold, executions.Resizing: notTold, executions.Pending: notTold}

// piecesOf returns the pieces of jobs from the pieces of their records.
func piecesOf(records map[uint32][]executions.Piece) map[uint32][]Piece {
	all := make(map[uint32][]Piece, len(records))
	for i, pieces := range records {
		for _, p := range pieces {
			all[i] = append(all[i], Piece{After: float64(p.After), Run: float64(p.Run), Nodes: int(p.Units)})
		}
	}
	return all
}

// told returns the seconds of a time, −1 of a time that is not told.
func told(n uint32) float64 { return float64(number(n)) }

// number returns the number of a name, −1 of a name that is not told.
func number(n uint32) int {
	if n == none {
		return -1
	}
	return int(n)
}

// blank returns a job of which nothing is known but its number.
func blank(id int) Job {
	j := blankJob
	j.ID = id
	return j
}

// blankJob is a job of which nothing is known.
var blankJob = Job{ID: -1, Submit: -1, Wait: -1, Run: -1, Processors: -1, ProcessorTime: -1, Memory: -1,
	RequestedProcessors: -1, Estimate: -1, RequestedMemory: -1, Status: notTold, User: -1, Group: -1,
	Application: -1, Queue: -1, Partition: -1, Preceding: -1, ThinkTime: -1}

// headerOf returns the header of a log of another format, as it would be written in Standard Workload Format.
func headerOf(o Options, begin int64, jobs int) Header {
	comments := []string{"Version: 2.2", fmt.Sprintf("Note: from a log in the format %s; processors are %s", o.Format, o.Unit),
		fmt.Sprintf("MaxJobs: %d", jobs)}
	if begin > 0 {
		comments = append(comments, fmt.Sprintf("UnixStartTime: %d", begin))
		if o.Location != nil {
			comments = append(comments, "TimeZoneString: "+o.Location.String())
		}
	}
	h := Header{Fields: map[string]string{}}
	for _, c := range comments {
		h.add([]byte("; " + c))
	}
	return h
}
