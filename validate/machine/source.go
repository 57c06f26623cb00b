package machine

import (
	"errors"
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/simulation"
)

// Workload makes the jobs of a run.
type Workload interface {
	// Jobs returns the jobs of a run in the order of their submission. Random numbers come from keys below key, so that
	// the same key gives the same jobs.
	Jobs(key des.Key) workload.Source
}

// Once returns a workload that consists of the jobs of a source. It serves one run only, because the run reads the
// source to its end. Another run ends with an error.
func Once(jobs workload.Source) Workload { return &once{jobs} }

// once is the workload of [Once]. After its first use, the Next of its source fails.
type once struct{ source workload.Source }

// Jobs returns the source the first time. Later calls return a source whose Next fails, so that a second run ends with
// an error. The random key is not used.
func (o *once) Jobs(des.Key) workload.Source {
	source := o.source
	o.source = workload.SourceFunc(nil)
	return source
}

// List is a workload of jobs in the order of their submission, for any number of runs.
type List []workload.Job

// Jobs returns a source that hands out the jobs of the list in order; each run has its own source. The random key is not used.
func (l List) Jobs(des.Key) workload.Source { return workload.Jobs(l) }

// Len returns the number of jobs.
func (l List) Len() int { return len(l) }

// Get overwrites j with job i, counted from 0.
func (l List) Get(i int, j *workload.Job) { *j = l[i] }

// Random is an endless workload of malleable or rigid jobs. They arrive by a Markovian arrival process, and their
// demands are drawn from a phase-type distribution or from a sample. Each job has its own random stream, so that all
// policies get the same jobs. Times are in any one unit, demands in nodes times that unit.
type Random struct {
	Arrivals phasetype.MAP
	Demand   phasetype.Dist
	Sample   []float64 // if not nil, replaces Demand: demands, each with the same probability
	Speedup  workload.Speedup
	// Classes, if not nil, replace Speedup. Demand has the phases of all classes, one class after the other. The
	// Application of a job is the number of its class.
	Classes []simulation.Class
	Rigid   bool // jobs keep the Nodes of their class from the start to the end
}

// check returns an error if the workload cannot be simulated; r may be nil, which is an error, too. [New] calls it. A
// workload needs:
//
//   - arrivals;
//   - demands: a sample that is not empty, of positive and finite numbers, or a distribution without an atom at zero,
//     with as many phases as the classes have together;
//   - with rigid jobs, a class that says how many nodes they ask for;
//   - at most one class if the demands are a sample, and this class only for rigid jobs.
func (r *Random) check() error {
	if r == nil {
		return errors.New("machine: there is no workload")
	}
	for i, x := range r.Sample {
		if !(x > 0) || math.IsInf(x, 1) {
			return fmt.Errorf("machine: demand %d of the sample is %v; it must be positive", i, x)
		}
	}
	switch {
	case r.Sample != nil && len(r.Sample) == 0:
		return errors.New("machine: no demands in the sample")
	case r.Arrivals.Phases() == 0:
		return errors.New("machine: no arrivals")
	case r.Sample != nil && len(r.Classes) > 0 && !(r.Rigid && len(r.Classes) == 1):
		return errors.New("machine: jobs of several classes and one sample of demands")
	case r.Rigid && len(r.Classes) == 0:
		return errors.New("machine: rigid jobs of no class, which would say how many nodes they ask for")
	case r.Sample == nil && len(r.Classes) > 0 && len(simulation.ByPhase(r.Classes)) != r.Demand.Phases():
		return fmt.Errorf("machine: classes of %d phases, and demands of %d", len(simulation.ByPhase(r.Classes)), r.Demand.Phases())
	case r.Sample == nil && (r.Demand.IsZero() || r.Demand.Atom() > 0):
		return errors.New("machine: demands must be positive")
	}
	return nil
}

// speeds returns the speedups that all jobs have in common. Entry n is the speedup on n nodes, for n from 0 to nodes;
// entry 0 is 0. The result is nil if speedups depend on the class of a job. The machine looks speeds up there instead
// of computing them for each job.
func (r *Random) speeds(nodes int) []float64 {
	if len(r.Classes) > 0 {
		return nil
	}
	alike := workload.Job{Speedup: r.Speedup}
	v := make([]float64, nodes+1)
	for n := 1; n <= nodes; n++ {
		v[n] = alike.SpeedupOn(n)
	}
	return v
}

// Jobs returns the endless source of the jobs of one run. The same key gives the same jobs, whatever the policy, so
// that policies are compared on the same jobs.
func (r *Random) Jobs(key des.Key) workload.Source {
	s := &randomJobs{Random: r, arrivals: des.NewArrivals(r.Arrivals), demand: des.NewTimes(r.Demand),
		class: simulation.ByPhase(r.Classes), keys: key.At(simulation.JobStream)}
	s.arrivals.Begin(key.At(simulation.ArrivalStream))
	return s
}

// randomJobs is the source of the jobs of a [Random] workload in one run.
type randomJobs struct {
	*Random
	arrivals des.Arrivals
	demand   *des.Times
	class    []int32 // by phase
	keys     des.Key
	now      float64
	n        int
	// A block of jobs is drawn at once, because the processor works on several of them at a time.
	phase [64]int32   // phases in which the demands start
	work  [64]float64 // demands
}

// Next overwrites j with the next job, which is malleable, or rigid with the nodes of its class. It has a submission
// time, a demand (Work) and a speedup. With classes, Application is the number of the class, from 0, and Max the most
// nodes of the class. Without classes, Application is −1. IDs count from 1. Next never fails.
func (r *randomJobs) Next(j *workload.Job) error {
	i := r.advance()
	*j = workload.Job{}
	j.ID, j.User, j.Application, j.Submit, j.Kind, j.Speedup = r.n, -1, -1, r.now, workload.Malleable, r.Speedup
	j.Work = r.work[i]
	if r.class != nil {
		j.Application = int(r.class[r.phase[i]])
		c := &r.Classes[j.Application]
		j.Max, j.Speedup = c.MaxNodes, c.Speedup
		if r.Rigid {
			j.Kind, j.Nodes = workload.Rigid, c.Nodes
		}
	}
	return nil
}

// advance moves on to the next job, so that r.now is its submission time, and r.n its ID. It returns the index of its demand
// in r.work and of its phase in r.phase.
func (r *randomJobs) advance() int {
	r.now += r.arrivals.Gap()
	i := r.n % len(r.work)
	if i == 0 {
		r.draw()
	}
	r.n++
	return i
}

// draw draws the demands of the next block of 64 jobs into r.work, and the phases in which they start into r.phase.
// Each job has its own random stream. Demands of a sample have no phase. r.n is the number of jobs drawn before.
func (r *randomJobs) draw() {
	var streams [len(r.work)]des.Stream
	for i := range streams {
		streams[i] = r.keys.At(uint64(r.n + i)).Stream()
		if r.Sample != nil {
			r.work[i] = r.Sample[int(streams[i].Float64()*float64(len(r.Sample)))]
		}
	}
	if r.Sample == nil {
		r.demand.DrawAll(r.phase[:], r.work[:], streams[:])
	}
}
