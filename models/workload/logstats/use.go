package logstats

import (
	"math"

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
	err = inOrder(jobs, func(jobs joblog.Jobs) (err error) {
		u, err = useOf(jobs, nodes)
		return err
	})
	return u, err
}

// useOf does so of jobs that come in the order of their submission.
func useOf(jobs joblog.Jobs, nodes int) (u Use, err error) {
	nodeTime, first, last := 0.0, 0.0, 0.0
	n := 0
	h := holding{nodes: nodes, first: math.NaN()}
	s := occasions{pass: h.pass}
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
		last = max(last, j.Submit+max(j.Wait, 0)+j.Run)
		if Waited(j) {
			if err := s.add(j, 0); err != nil {
				return u, err
			}
		}
	}
	s.finish()
	if n == 0 || !(last > first) || nodes < 1 {
		return Use{}, nil
	}
	u = Use{Peak: h.peak, Load: nodeTime / ((last - first) * float64(nodes))}
	if whole := h.at - h.first; whole > 0 {
		u.Beyond = h.beyond / whole
	}
	return u, nil
}

// holding is how many nodes of a machine jobs hold over time.
type holding struct {
	nodes      int // of the machine
	first, at  float64
	used, peak int
	beyond     float64 // seconds in which jobs held more nodes than the machine has
}

// pass takes an occasion in, in order of time.
func (h *holding) pass(o occasion) {
	change := o.change()
	if change == 0 {
		return
	}
	if math.IsNaN(h.first) {
		h.first = o.at
	} else if h.used > h.nodes {
		h.beyond += o.at - h.at
	}
	h.at = o.at
	h.used += change
	h.peak = max(h.peak, h.used)
}
