package joblog

import "fmt"

// job makes a job of a record. begin is the Unix time at which the log begins; partitions says that its queues are
// partitions of the machine.
func (r *record) job(begin uint32, partitions bool) Job {
	j := blank(int(r.id))
	j.Submit, j.Processors, j.Status = float64(r.submit-begin), int(r.units), statusOf[r.state]
	told := func(n uint32) float64 {
		if n == none {
			return -1
		}
		return float64(n)
	}
	j.Wait, j.Run, j.Estimate = told(r.wait), told(r.run), told(r.limit)
	j.User, j.Group, j.Queue = int(told(r.user)), int(told(r.group)), int(told(r.queue))
	if partitions {
		j.Queue, j.Partition = -1, j.Queue
	}
	return j
}

// blank returns a job of which nothing is known but its number.
func blank(id int) Job {
	return Job{ID: id, Submit: -1, Wait: -1, Run: -1, Processors: -1, ProcessorTime: -1, Memory: -1,
		RequestedProcessors: -1, Estimate: -1, RequestedMemory: -1, Status: notTold, User: -1, Group: -1,
		Application: -1, Queue: -1, Partition: -1, Preceding: -1, ThinkTime: -1}
}

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
