package input

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// peakNodes returns how many nodes were in use at once, at most, as far as the jobs tell: of a job whose wait is not known
// only the size counts. It is negative if there are no jobs. A machine of fewer nodes cannot have run the log.
func peakNodes(jobs joblog.Jobs) (int, error) {
	type change struct {
		at    float64
		nodes int
	}
	var changes []change
	held, peak := 0, -1
	for j, err := range jobs {
		if err != nil {
			return 0, err
		}
		peak = max(peak, j.Nodes(), 0) // also without a wait or a run time
		if j.Problem(0) == "" && j.Wait >= 0 {
			start := j.Submit + j.Wait
			held := j.Nodes() // up to the end, or since the last resize
			if len(j.Pieces) > 0 {
				held = j.Pieces[0].Nodes
			}
			changes = append(changes, change{start, held})
			for _, p := range j.Pieces {
				changes = append(changes, change{start + p.After, p.Nodes - held})
				held = p.Nodes
			}
			changes = append(changes, change{start + j.Run, -held})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { // nodes that are released can be taken at the same time
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.nodes, b.nodes))
	})
	for _, c := range changes {
		held += c.nodes
		peak = max(peak, held)
	}
	return peak, nil
}
