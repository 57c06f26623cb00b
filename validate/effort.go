package validate

import (
	"math"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
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
	rho, err := s.intensity(sys, o)
	if o.Replay != nil || err != nil {
		return 0, err
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
	return int64(min(relative*quantile*quantile/(o.Precision*o.Precision), math.MaxInt64/2)), nil
}

// plan notes how many jobs the next stage will have departed at its end, and how many will be needed: by the square law, with
// the precision of the last stage; before the first, as many as were foreseen by the load.
func (x *experiment) plan(jobs int64) {
	needed := float64(x.effort)
	if x.state.Precision > 0 {
		ratio := x.state.Precision / x.o.Precision
		needed = spare * ratio * ratio * float64(x.state.Planned)
	}
	x.state.Planned = jobs
	x.state.Expected = max(jobs, int64(min(needed, float64(x.o.MaxJobs))))
	x.report(0)
}

// spare is what a stage has more jobs than the square law says, as in [batches.Lengthen].
const spare = 1.1
