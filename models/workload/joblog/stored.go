package joblog

import "fmt"

// job returns the job of record i. begin is the Unix time at which the log begins.
func (s *store) job(i, begin uint32) Job {
	r := s.at(i)
	j := blank(int(r.id))
	j.Submit, j.Processors, j.Status = float64(int64(r.submit)-int64(begin)), int(r.units), statusOf[r.state]
	told := func(n uint32) float64 {
		if n == none {
			return -1
		}
		return float64(n)
	}
	j.Wait, j.Run, j.Estimate = told(r.wait), told(r.run), told(r.limit)
	j.User, j.Group, j.Queue = int(told(r.user)), int(told(r.group)), int(told(r.queue))
	if s.partitions {
		j.Queue, j.Partition = -1, j.Queue
	}
	j.Held, j.State, j.Cluster = float64(s.held.at(i)), int32(r.label), int32(r.cluster)
	j.QOS, j.NodeList, j.CPUs = int32(s.qosOf.at(i)), int32(s.nodesOf.at(i)), int32(s.cpusOf.at(i))
	j.Pieces = s.pieces[i]
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
