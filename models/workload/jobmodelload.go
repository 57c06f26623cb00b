package workload

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload/joblog"
)

// JobsAtLoad returns the jobs at another load on a machine of so many nodes. The times between submissions are stretched, to
// whole seconds as the Standard Workload Format has them. It is an error if the jobs have no load, such as a single job.
func JobsAtLoad(jobs []joblog.Job, nodes int, load float64) ([]joblog.Job, error) {
	factor := OfferOfLog(jobs).Load(nodes) / load
	if !(factor > 0) || math.IsInf(factor, 1) {
		return nil, fmt.Errorf("workload: %d jobs have no load that could be changed to %v", len(jobs), load)
	}
	out, err := joblog.Stretch(jobs, factor)
	for i := range out {
		out[i].Submit = math.Round(out[i].Submit)
	}
	return out, err
}
