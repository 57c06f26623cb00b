package logstats

import (
	"github.com/partwise/partwise/models/workload/joblog"
)

// Use is how many nodes the jobs of a log held, as the log recorded it.
type Use struct {
	Peak int // the most at once
	// Beyond is the share of the time, from the first start to the last end, in which jobs held more nodes than the machine has.
	Beyond float64
	// Load is the node-time of the jobs over that of the machine from the first submission to the last end. It is at most 1 if the machine
	// has as many nodes as the jobs held.
	Load float64
}

// UseOf returns how many nodes of a machine the jobs of a log held. Jobs whose start the log does not tell count as started at once in Load,
// and not in the rest. It is zero without jobs. The error is that of the jobs.
func UseOf(jobs joblog.Jobs, nodes int) (u Use, err error) {
	jobs, _ = given(jobs, nil)
	var stays []Stay
	nodeTime, first, last := 0.0, 0.0, 0.0
	n := 0
	for j, err := range jobs {
		if err != nil {
			return u, err
		}
		if j.Problem(0) != "" {
			continue
		}
		if n++; n == 1 {
			first = j.Submit
		}
		nodeTime += j.NodeTime()
		first, last = min(first, j.Submit), max(last, j.Submit+max(j.Wait, 0)+j.Run)
		if Waited(j) {
			stays = append(stays, stayOf(j))
		}
	}
	if n == 0 || !(last > first) || nodes < 1 {
		return u, nil
	}
	u.Load = nodeTime / ((last - first) * float64(nodes))
	u.Peak = peakOf(stays)
	if u.Peak <= nodes {
		return u, nil
	}
	changes := changesOf(stays)
	beyond, used := 0.0, 0
	for i, c := range changes[:len(changes)-1] {
		if used += c.nodes; used > nodes {
			beyond += changes[i+1].at - c.at
		}
	}
	if whole := changes[len(changes)-1].at - changes[0].at; whole > 0 {
		u.Beyond = beyond / whole
	}
	return u, nil
}
