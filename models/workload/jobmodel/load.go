package jobmodel

import (
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
)

// AtLoad returns the jobs at another load on a machine of so many nodes. The times between submissions are stretched, to
// whole seconds as the Standard Workload Format has them. It is an error if the jobs have no load, such as a single job.
func AtLoad(jobs []swf.Job, nodes int, load float64) ([]swf.Job, error) {
	offer, err := workload.OfferOfLog(swf.Jobs(jobs))
	if err != nil {
		return nil, err
	}
	now := offer.Load(nodes)
	if factor := now / load; !(factor > 0) || math.IsInf(now, 1) || math.IsInf(factor, 1) {
		return nil, fmt.Errorf("jobmodel: %d jobs have no load that could be changed to %v", len(jobs), load)
	}
	out, err := swf.All(&swf.Stretch{In: swf.Jobs(slices.Clone(jobs)), Factor: now / load})
	for i := range out {
		out[i].Submit = math.Round(out[i].Submit)
	}
	return out, err
}
