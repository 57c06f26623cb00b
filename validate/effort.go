package validate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/metric"
)

// Effort returns about how many jobs a simulation of policy p takes to know the mean response time to the precision of o,
// before anything is simulated. Near saturation the jobs in the system are reflected Brownian motion, whose mean over n
// jobs has the squared relative standard error 2(c_a² + c_s²)/((1 − ρ)²·n), with the traffic intensity ρ, the index of
// dispersion c_a² of the arrivals and the squared coefficient of variation c_s² of the service times (W. Whitt, Planning
// queueing simulations, Management Science 35, 1989). Response times fluctuate with the waiting time only, as far as that
// is part of them. Far from saturation it is a rough guess; what repartitions add is left out. It is 0 for a replay, which
// has its jobs.
func Effort(sys *models.System, p policy.Policy, o Options) (int64, error) {
	o, err := o.withDefaults()
	if err != nil {
		return 0, err
	}
	s, err := newSubject(sys, p, o)
	if err != nil {
		return 0, err
	}
	if _, err := s.intensity(sys, o); err != nil {
		return 0, err
	}
	return s.effort(sys, o), nil
}

func (s subject) effort(sys *models.System, o Options) int64 {
	rho, err := s.intensity(sys, o)
	if o.Replay != nil || err != nil {
		return 0
	}
	served := sys.Service[s.k-1].SCV()
	variability := sys.Arrivals.Dispersion() + served
	servers := 1.0 // jobs that share all nodes are served like one
	if _, static := s.policy.(policy.Static); static {
		servers = float64(s.k)
	}
	waiting := variability / (2 * (1 - rho) * servers) // in service times
	share := waiting / (waiting + 1)
	relative := 2*variability/((1-rho)*(1-rho))*share*share + served*(1-share)*(1-share)
	quantile := metric.Quantile(max(o.Replications-1, 1), (1+o.Confidence)/2)
	return int64(min(relative*quantile*quantile/(o.Precision*o.Precision), math.MaxInt64/2))
}

// reached notes what a replication says at the end of a stage, and what that makes of the precision at the end of the stage
// for all: replications that have not come there yet are as uncertain for their length as before.
func (x *experiment) reached(r int) {
	x.progress.Lock()
	defer x.progress.Unlock()
	rep := x.replications[r]
	if rep.series == nil || rep.series.Batches() == 0 || len(x.replications) == 1 {
		return
	}
	sum := rep.series.Sum(0, rep.series.Batches())
	x.means[r], x.lengths[r] = sum[des.ResponseSum]/sum[des.Departed], float64(rep.length())
	half, ok := x.halfWidth()
	if !ok {
		return
	}
	x.state.Precision = half
	x.expectFrom(half)
	if x.o.Progress != nil {
		x.o.Progress(x.state)
	}
}

// halfWidth returns the relative half width that the replications foresee for the end of the stage.
func (x *experiment) halfWidth() (half float64, ok bool) {
	n := float64(len(x.means))
	mean := 0.0
	for r, m := range x.means {
		if x.lengths[r] == 0 {
			return 0, false
		}
		mean += m / n
	}
	variance := 0.0 // of a run as long as one job
	for r, m := range x.means {
		variance += x.lengths[r] * (m - mean) * (m - mean) / (n - 1)
	}
	standardError := math.Sqrt(variance / float64(x.state.Planned))
	return metric.Quantile(len(x.means)-1, (1+x.o.Confidence)/2) * standardError / mean, true
}

// expect says at the beginning of a stage how many jobs will be needed.
func (x *experiment) expect() {
	x.progress.Lock()
	defer x.progress.Unlock()
	if half, ok := x.halfWidth(); ok {
		x.expectFrom(half)
		return
	}
	x.state.Expected = x.bounded(max(x.state.Planned, x.effort))
}

// enoughOfEffort is the share of the effort that was foreseen from which on the runs themselves say what is needed: shorter
// ones, which began with an empty machine, have not met the long queues yet.
const enoughOfEffort = 0.25

// expectFrom says how many jobs will be needed if the half width is half when all planned jobs have departed.
func (x *experiment) expectFrom(half float64) {
	done := float64(x.state.Jobs) / float64(x.state.Planned)
	more := float64(batches.Lengthen(1<<20, min(half, 2*x.o.Precision), x.o.Precision))/(1<<20) - 1
	if square := (half / x.o.Precision) * (half / x.o.Precision); square > 4 {
		more = 1.1*square - 1
	}
	needed := float64(x.state.Planned) * (1 + x.doubt(half, done)*more)
	if float64(x.state.Jobs) < enoughOfEffort*float64(x.effort) {
		needed = max(needed, float64(x.effort))
	}
	x.state.Expected = x.bounded(int64(min(needed, math.MaxInt64/2)))
}

// doubt returns the probability that another stage follows one of which a share is done, if the half width foreseen for its
// end is half: the variance of R replications is known to √(2/(R − 1)), which is as uncertain as what is still to come of
// them.
func (x *experiment) doubt(half, done float64) float64 {
	square := (half / x.o.Precision) * (half / x.o.Precision)
	deviation := square * math.Sqrt(2/float64(len(x.means)-1)*max(1-done, 1e-9))
	return distuv.UnitNormal.CDF((square - 1) / deviation)
}

// bounded returns jobs, but no more than may be simulated.
func (x *experiment) bounded(jobs int64) int64 { return min(jobs, max(x.o.MaxJobs, x.state.Planned)) }
