package joblog

import (
	"fmt"
	"io"
)

// decode makes a job of a record. begin is the Unix time at which the log begins.
func (s *store) decode(i, begin uint32, j *Job) {
	r := s.at(i)
	*j = blank(int(r.id))
	j.Submit = float64(r.submit - begin)
	j.Processors = int(r.units)
	j.Status = statusOf[r.state]
	number := func(n uint32) float64 {
		if n == none {
			return -1
		}
		return float64(n)
	}
	j.Wait, j.Run = number(r.wait), number(r.run)
	if r.limit > 0 {
		j.Estimate = number(s.limits.values[r.limit-1])
	}
	if r.user > 0 {
		j.User = int(r.user)
	}
	var at place
	if r.place > 0 {
		at = s.places.values[r.place-1]
	}
	if at.group > 0 {
		j.Group = int(at.group)
	}
	switch {
	case at.queue == 0:
	case s.partitions:
		j.Partition = int(at.queue)
	default:
		j.Queue = int(at.queue)
	}
}

// blank returns a job of which nothing is known but its number.
func blank(id int) Job {
	return Job{ID: id, Submit: -1, Wait: -1, Run: -1, Processors: -1, ProcessorTime: -1, Memory: -1,
		RequestedProcessors: -1, Estimate: -1, RequestedMemory: -1, Status: Unknown, User: -1, Group: -1,
		Application: -1, Queue: -1, Partition: -1, Preceding: -1, ThinkTime: -1}
}

// headerOf returns the header of a log of another format, as it would be written in Standard Workload Format.
func headerOf(o Options, begin int64, jobs int) Header {
	h := Header{MaxJobs: jobs, Fields: map[string]string{}}
	add := func(name, value string) {
		h.Fields[name] = value
		h.Comments = append(h.Comments, fmt.Sprintf(" %s: %s", name, value))
	}
	add("Version", "2.2")
	add("Note", fmt.Sprintf("from a log in the format %s; processors are %s", o.Format, o.Unit))
	add("MaxJobs", fmt.Sprint(jobs))
	if begin > 0 {
		h.UnixStartTime = begin
		add("UnixStartTime", fmt.Sprint(begin))
		if o.Location != nil {
			add("TimeZoneString", o.Location.String())
		}
	}
	return h
}

// Stored is a log that has been read as a whole. It is a [Reader] of its jobs, in the order of their submission.
type Stored struct {
	format     Format
	header     Header
	findings   []Finding
	unfinished []Job
	job        func(i int, j *Job)
	n, next    int
}

// Header returns what is known of the log as a whole.
func (l *Stored) Header() *Header { return &l.header }

// Format returns the format that the log is in.
func (l *Stored) Format() Format { return l.format }

// Len returns the number of jobs.
func (l *Stored) Len() int { return l.n }

// Next reads the next job.
func (l *Stored) Next(j *Job) error {
	if l == nil || l.next == l.n {
		return io.EOF
	}
	l.job(l.next, j)
	l.next++
	return nil
}

// Again returns a reader of the same jobs from the first on.
func (l *Stored) Again() *Stored {
	again := *l
	again.next = 0
	return &again
}

// Unfinished returns the jobs that had not ended when the log was written: the run times of those that had started are
// how long they had run until then, at least; others have none.
func (l *Stored) Unfinished() []Job { return l.unfinished }

// Findings returns what lines of the log have in common that should be known: first what is wrong with those that gave
// no job.
func (l *Stored) Findings() []Finding { return l.findings }
