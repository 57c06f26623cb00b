package epochs

import (
	"cmp"
	"context"
	"math"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/sched"
)

// Application says whether jobs can adapt to the nodes that they get.
type Application string

// The applications.
const (
	Static  Application = "static"  // split into as many threads as there are nodes when they start
	Dynamic Application = "dynamic" // repartitioned whenever their nodes change
)

// basisPolicy is the policy that response times are relative to.
var basisPolicy policy.Policy = policy.Epochs{Rule: policy.OptEpoch, Spread: 1}

// The jobs of the report: short and long ones with the same probability and exponential demands, and β of Dowdy's
// speedup, which is uniform.
const (
	shortDemand         = 400.
	longDemand          = 4000.
	meanDemand          = (shortDemand + longDemand) / 2
	leastBeta, mostBeta = 30., 300.
)

// response runs one replication of a case as a closed system. The i-th job to start has the same demand, speedup and
// least number of nodes under each policy. When a job ends, the next one takes its place at once, and a new schedule
// begins. In between, a job on n nodes for the share s of the quantum progresses at the rate S(n)·s. If the quantum is
// given, the job progresses at the rate S(n) while it has its nodes.
func response(ctx context.Context, at Point, p policy.Policy, o *Options, replication int) ([]float64, error) {
	plans, err := newPlanner(p)
	if err != nil {
		return nil, err
	}
	s := &closed{Case: at.Case, planner: plans, quantum: cmp.Or(plans.policy.Quantum, o.Quantum), sums: make([]float64, width),
		keys:    at.key(o.Seed).At(uint64(replication)),
		problem: sched.EpochProblem{Nodes: at.Nodes, Min: make([]int, at.Jobs)}, jobs: make([]running, at.Jobs)}
	for n := range at.Nodes + 1 {
		factor := 1.
		if at.Application == Static && n > 0 {
			factor = dowdy(0, at.Nodes).At(float64(n)) / dowdy(0, 0).At(float64(n))
		}
		s.threads = append(s.threads, factor)
	}
	return s.run(ctx, o.Jobs)
}

// ofResponses sets the measures of a closed system from the sums of each replication; basis has the sums under the policy
// that response times are relative to. The mean response time is estimated by Little's law from the rate at which work is
// done. This rate scatters less than the response times of the jobs that happen to end:
//
//	E[R] = J·E[demand] / (work done in a unit of time).
func (r *Result) ofResponses(sums, basis [][]float64) {
	var count, response float64
	for _, s := range sums {
		count, response = count+s[completed], response+s[responses]
	}
	r.Completed = response / count
	r.estimate(sums, basis, map[string]func(s, basis []float64) float64{
		measure.MeanResponseTime: func(s, _ []float64) float64 { return float64(r.Jobs) * meanDemand * s[elapsed] / s[worked] },
		RelativeResponse: func(s, basis []float64) float64 {
			return s[elapsed] * basis[worked] / (s[worked] * basis[elapsed]) // 1 for the basis itself, to the last digit
		},
		NormalizedOverhead: func(s, _ []float64) float64 { return s[realloc] / s[elapsed] },
	})
}

// What is summed up in a replication.
const (
	elapsed   = iota
	worked    // Σ S(n)·time of all jobs
	realloc   // normalized overhead × time
	completed // jobs
	responses // and the sum of their response times
	width
)

// closed is a closed system at a moment of its life.
type closed struct {
	Case
	*planner
	keys    des.Key
	quantum float64
	threads []float64 // by the number of nodes: the factor of a static application
	problem sched.EpochProblem
	jobs    []running
	started uint64
	sums    []float64
}

// running is a job, with its place in the schedule as fractions of the quantum.
type running struct {
	left, beta    float64
	since         float64
	rate          float64 // while it has its nodes
	begins, share float64
}

// run simulates a warm-up, in which a tenth of so many jobs end, and then until so many jobs have ended. It returns the sums of
// the time after the warm-up.
func (s *closed) run(ctx context.Context, jobs int) ([]float64, error) {
	for j := range s.jobs {
		s.start(j, 0)
	}
	now := 0.
	for ends := -jobs / 10; ends < jobs; ends++ {
		if ends == 0 {
			clear(s.sums)
		}
		if ends&255 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := s.reschedule(); err != nil {
			return nil, err
		}
		j, dt := s.next()
		now += dt
		s.pass(dt)
		s.sums[completed]++
		s.sums[responses] += now - s.jobs[j].since
		s.start(j, now)
	}
	return s.sums, nil
}

// start puts the next job into a place of the closed system: it draws the nodes that the job needs, its demand and its
// speedup.
func (s *closed) start(place int, now float64) {
	random := s.keys.At(s.started).Stream()
	s.started++
	j := running{since: now}
	s.problem.Min[place], j.left, j.beta = s.draw(&random)
	s.jobs[place] = j
}

// draw draws a job: the least number of nodes, the demand and β of its speedup.
func (c Case) draw(s *des.Stream) (least int, demand, beta float64) {
	least, demand = c.least(s), shortDemand
	if s.Float64() < 0.5 {
		demand = longDemand
	}
	return least, demand * s.Exp(), leastBeta + (mostBeta-leastBeta)*s.Float64()
}

// reschedule makes a new schedule of a quantum for the jobs in the system. It sets the rate at which each job progresses while
// it has its nodes, and its turn, as fractions of the quantum.
func (s *closed) reschedule() error {
	if err := s.plan(s.problem); err != nil {
		return err
	}
	whole := float64(s.Jobs)
	for i := range s.schedule.Pieces {
		q := &s.schedule.Pieces[i]
		j, n := &s.jobs[q.Job], float64(q.Width)
		j.rate = (1 + j.beta) * n / (j.beta + n) * s.threads[q.Width]
		j.begins, j.share = float64(q.Start)/whole, float64(q.End-q.Start)/whole
	}
	return nil
}

// next returns the job that ends first, and the time from the beginning of the schedule to this end. It sets the work that
// the job has left to 0.
func (s *closed) next() (first int, dt float64) {
	dt = math.Inf(1)
	for i := range s.jobs {
		j := &s.jobs[i]
		if t := s.until(j); t < dt {
			first, dt = i, t
		}
	}
	s.jobs[first].left = 0
	return first, dt
}

// until returns the time from the beginning of the schedule until a job ends.
func (s *closed) until(j *running) float64 {
	if s.quantum == 0 {
		return j.left / (j.rate * j.share)
	}
	need, each := j.left/j.rate, s.quantum*j.share
	full := max(0, math.Ceil(need/each)-1)
	return full*s.quantum + j.begins*s.quantum + need - full*each
}

// pass lets a time since the beginning of the schedule pass: it adds to the sums, and takes from each job the work that it
// did.
func (s *closed) pass(dt float64) {
	s.sums[elapsed] += dt
	s.sums[realloc] += dt * s.schedule.NormalizedOverhead()
	for i := range s.jobs {
		j := &s.jobs[i]
		done := j.rate * s.held(j, dt)
		s.sums[worked] += done
		if j.left > 0 {
			j.left = max(j.left-done, math.SmallestNonzeroFloat64)
		}
	}
}

// held returns how much of a time from the beginning of the schedule a job has its nodes.
func (s *closed) held(j *running, dt float64) float64 {
	if s.quantum == 0 {
		return dt * j.share
	}
	full := math.Floor(dt / s.quantum)
	return (full*j.share + min(max(dt/s.quantum-full-j.begins, 0), j.share)) * s.quantum
}
