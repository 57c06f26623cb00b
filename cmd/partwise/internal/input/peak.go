package input

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// peakNodes returns how many nodes were in use at once, at most, as far as the jobs tell: of a job whose wait is not known
// only the size counts. A machine of fewer nodes cannot have run the log.
func peakNodes(jobs []joblog.Job) int {
	type change struct {
		at    float64
		nodes int
	}
	var changes []change
	for i := range jobs {
		if j := &jobs[i]; j.Problem(0) == "" && j.Wait >= 0 {
			start := j.Submit + j.Wait
			changes = append(changes, change{start, j.Nodes()}, change{start + j.Run, -j.Nodes()})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { // nodes that are released can be taken at the same time
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.nodes, b.nodes))
	})
	held, peak := 0, 0
	for _, c := range changes {
		held += c.nodes
		peak = max(peak, held)
	}
	for i := range jobs { // also without a wait or a run time
		peak = max(peak, jobs[i].Nodes())
	}
	return peak
}
