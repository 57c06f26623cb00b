package machine

import (
	"math"

	"github.com/partwise/partwise/models/workload"
)

// leastReservation is the least estimate of a job of a log, in the unit of time of the machine: the resolution of logs.
// Drawn jobs have no resolution. Their unit of time may be longer than their run times.
const leastReservation = 1

// estimateAndCut sets the estimate and the run time of an arriving job, and reports whether the machine will kill the
// job. It also counts the job in r.arrived.
//
// The estimate comes from the estimator of the run, if it has one, and otherwise from the job. An estimator that
// repeats the estimates of a log also makes the requested time the limit. Any other estimator removes the limit. A
// machine that kills ends a job that runs longer than its limit, or than its estimate if it has no limit, at that time.
// So the job has the work that it does by then.
//
// Then an estimate below the run time is raised to the run time, and for jobs of a log at least to leastReservation, 1
// s. Jobs that do not ask for nodes keep their estimates. So policies plan with the estimate, never with the run time
// that a kill prevents. An estimate that is not valid sets r.err.
func (r *run) estimateAndCut(job *workload.Job) (killed bool) {
	if r.estimator != nil {
		if !r.logged {
			r.guess = r.Estimates.Key.At(r.arrived).Stream()
		}
		job.Estimate, job.Limit = r.estimator.Estimate(job, r.now, &r.guess), 0
		if math.IsNaN(job.Estimate) || math.IsInf(job.Estimate, 1) { // the job itself was checked when it was read
			r.err = job.Check(r.Nodes)
		}
		if r.logged {
			job.Limit = max(job.Requested, 0)
		}
	}
	r.arrived++
	if r.KillAtEstimate && job.Run > 0 {
		limit := job.Limit
		if limit <= 0 {
			limit = job.Estimate
		}
		if killed = 0 < limit && limit < job.Run; killed {
			job.Cut(limit)
		}
	}
	if job.Nodes > 0 {
		job.Estimate = max(job.Estimate, job.RunOn(job.Nodes), r.leastEstimate)
	}
	return killed
}
