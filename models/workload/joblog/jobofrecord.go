package joblog

import "fmt"

// fill makes j the job of record i. begin is the Unix time at which the log begins.
func (s *store) fill(j *Job, i, begin uint32) {
	r := s.at(i)
	*j = blankJob
	j.ID, j.Submit, j.Processors, j.Status = int(r.id), float64(int64(r.submit)-int64(begin)), int(r.units), statusOf[r.state]
	j.Wait, j.Run, j.Estimate = told(r.wait), told(r.run), told(r.limit)
	j.User, j.Group, j.Queue = number(r.user), number(r.group), number(r.queue)
	if s.partitions {
		j.Queue, j.Partition = -1, j.Queue
	}
	j.Held, j.State, j.Cluster = float64(s.held.at(i)), int32(r.label), int32(r.cluster)
	j.QOS, j.NodeList, j.CPUs = int32(s.qosOf.at(i)), int32(s.nodesOf.at(i)), int32(s.cpusOf.at(i))
	if len(s.pieces) > 0 {
		j.Pieces = s.pieces[i]
	}
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
