package joblog

import "fmt"

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
		RequestedProcessors: -1, Estimate: -1, RequestedMemory: -1, Status: notTold, User: -1, Group: -1,
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
