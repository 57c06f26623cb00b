package validate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/metric"
)

// replayed returns a machine of n nodes on which jobs may have any speedup, without overheads, for replays.
func replayed(tb testing.TB, n int) *models.System {
	s := system(tb, n, 1, exponential, func(i int) float64 { return float64(i) / float64(n) })
	s.Demand, s.Speedup = exponential(1), workload.Linear{}
	return s
}

// Two jobs of linear speedup on four nodes under equi-partitioning. The first, 10 s on two nodes, has all four for 2 s
// and has done 8 of its 20 node-seconds; then both have two. It ends at 2 + 12/2 = 8; the second, 10 s on two nodes as
// well, has then done 12 of 20 and ends at 8 + 8/4 = 10.
func TestTwoMalleableJobsByHand(t *testing.T) {
	jobs := []workload.Job{
		{ID: 1, Submit: 100, Kind: workload.Malleable, Nodes: 2, Run: 10, Work: 20},
		{ID: 2, Submit: 102, Kind: workload.Malleable, Nodes: 2, Run: 10, Work: 20},
	}
	want := []float64{108, 110}
	i := 0
	done := func(r *machine.Record) {
		if r.ID != i+1 || math.Abs(r.End-want[i]) > 1e-9 || r.Start != r.Submit || math.Abs(r.NodeTime-20) > 1e-9 {
			t.Errorf("%+v, want the end at %v", *r, want[i])
		}
		i++
	}
	c, err := (&validate.Simulator{System: replayed(t, 4), Replay: jobs}).WholeNodes(dynamic)
	if err == nil {
		err = validate.Record(ctx, c, validate.Options{}, len(jobs), &machine.Recorder{}, done)
	}
	if err != nil || i != 2 {
		t.Errorf("%d jobs ended, %v", i, err)
	}
}

// logged draws n jobs that ask for nodes, have speedups of their own, can be resized, and offer a load of .8.
func logged(n, nodes int) []workload.Job {
	const run = 1500
	gap := run * float64(nodes+1) / 2 / (0.8 * float64(nodes))
	stream := des.Seed(7).Stream()
	var jobs []workload.Job
	now := 0.0
	for i := range n {
		now += gap * stream.Exp()
		j := workload.Job{ID: i + 1, Submit: math.Floor(now), Kind: workload.Malleable,
			Nodes: 1 + int(stream.Float64()*float64(nodes))}
		j.Speedup = workload.Downey{A: float64(j.Nodes), Sigma: 2 * stream.Float64()}
		j.Run = math.Floor(run * stream.Exp())
		j.Work = j.Run * j.SpeedupOn(j.Nodes)
		jobs = append(jobs, j)
	}
	return jobs
}

// The same jobs under the same policy have the same measures, to the last digit, whoever replays them.
func TestReplaysHaveTheSameMeasures(t *testing.T) {
	needs.Concurrency(t)
	const nodes = 5
	jobs := logged(400, nodes)
	s := replayed(t, nodes)
	for _, p := range []policy.Policy{policy.FCFS{}, policy.EASY{}, dynamic} {
		log := metric.NewLog(metric.Machine{Nodes: nodes}, nil)
		c := machine.Config{Nodes: nodes, Policy: p, Jobs: machine.List(jobs), Done: log.Add}
		if _, err := machine.Run(ctx, c, des.Seed(1)); err != nil {
			t.Fatal(err)
		}
		sim := replay(t, s, p, jobs)
		values := log.Measures()
		for name, v := range values {
			if e, ok := sim.Measure(name); !ok || e.Mean != v {
				t.Errorf("%s: %s is %v in a simulation, %v of the log", p, name, e.Mean, v)
			}
			if v == 0 && !slices.Contains([]string{measure.BackfilledShare, measure.KilledShare, measure.NodeHoursReconfiguration}, name) {
				t.Errorf("%s: %s is 0", p, name)
			}
		}
	}
}

// Useful work is what one node would need for the same: it is known where the speeds of jobs are relative to one node,
// not where run times were measured, on a partition of each size or on the one that a static policy has.
func TestUsefulWorkIsRelativeToOneNode(t *testing.T) {
	speedup := cluster(t, 4, 0.4)
	measured := *speedup
	measured.Demand, measured.Speedup = phasetype.Dist{}, nil
	jobs, sample := logged(50, 4), []float64{0.5, 1.5}
	for _, c := range []struct {
		name    string
		system  *models.System
		policy  policy.Policy
		jobs    []workload.Job
		options validate.Options
		want    bool
	}{
		{"dynamic, a speedup", speedup, dynamic, nil, validate.Options{}, true},
		{"dynamic, measured", &measured, dynamic, nil, validate.Options{}, false},
		{"dynamic, measured, a sample", &measured, dynamic, nil, validate.Options{Sample: sample}, false},
		{"dynamic, measured, a log", &measured, dynamic, jobs, validate.Options{}, false},
		{"dynamic, a log", speedup, dynamic, jobs, validate.Options{}, true},
		{"static, run times of its partitions", speedup, static(2), nil, validate.Options{}, false},
		{"static, a sample", speedup, static(2), nil, validate.Options{Sample: sample}, true},
		{"static, a log", speedup, static(2), jobs, validate.Options{}, true},
		{"dynamic at model fidelity", speedup, dynamic, nil, validate.Options{Fidelity: validate.ModelFidelity}, false},
	} {
		o := c.options
		o.Replications, o.MaxJobs = 4, 8000
		if o.Fidelity == "" {
			o.Fidelity = validate.MachineFidelity
		}
		var sim validate.Simulation
		if c.jobs != nil {
			sim = replay(t, c.system, c.policy, c.jobs)
		} else {
			sim = simulate(t, c.system, c.policy, o)
		}
		u, _ := sim.Measure(measure.Utilization)
		useful, hasUseful := sim.Measure(measure.UsefulUtilization)
		efficiency, hasEfficiency := sim.Measure(measure.Efficiency)
		if hasUseful != c.want || hasEfficiency != c.want {
			t.Errorf("%s: useful utilization %v, efficiency %v, want %v", c.name, hasUseful, hasEfficiency, c.want)
		}
		if c.want && math.Abs(useful.Mean-u.Mean*efficiency.Mean) > 0.01*useful.Mean { // jackknifed one by one
			t.Errorf("%s: useful %v, %v of %v", c.name, useful.Mean, efficiency.Mean, u.Mean)
		}
	}
}

// A set-up holds nodes and does no work: the useful utilization is what the demands come to, λ·E[D]/P; and a replay has
// the same as the records of its jobs.
func TestSetUpsAreNotUseful(t *testing.T) {
	s := cluster(t, 4, 0.3)
	s.Setup = map[int]phasetype.Dist{2: exponential(0.5)}
	sim := simulate(t, s, static(2), validate.Options{Fidelity: validate.MachineFidelity, Sample: []float64{0.5, 1.5}})
	held := 2 * (0.5 + 1/s.Speedup.At(2)) // nodes × (set-up + run time)
	for name, want := range map[string]float64{measure.UsefulUtilization: s.Arrivals.Rate() / 4,
		measure.Utilization: s.Arrivals.Rate() * held / 4, measure.Efficiency: 1 / held} {
		if e, _ := sim.Measure(name); math.Abs(e.Mean-want) > 4*e.StdErr {
			t.Errorf("%s = %v ± %v, want %v", name, e.Mean, e.StdErr, want)
		}
	}
	var sums metric.Sums
	jobs := logged(200, 4)
	done := func(r *machine.Record) { sums.Add(r, metric.Machine{Nodes: 4}, nil) }
	c, err := (&validate.Simulator{System: s, Replay: jobs}).WholeNodes(static(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Record(ctx, c, validate.Options{}, len(jobs), &machine.Recorder{}, done); err != nil {
		t.Fatal(err)
	}
	work := 0.0
	for i := range jobs {
		work += jobs[i].Work
	}
	// Rounding of sums.
	if math.Abs(sums[metric.Useful]-work) > 1e-9*work || !(sums[metric.Held] > work) {
		t.Errorf("useful work %v, want %v; held %v", sums[metric.Useful], work, sums[metric.Held])
	}
}

// TestIntervalsOfReplaysStayInRange: in a replay of few jobs, no interval reaches below 0, nor that of a share above 1.
func TestIntervalsOfReplaysStayInRange(t *testing.T) {
	for _, n := range []int{8, 30, 100} {
		sim := replay(t, replayed(t, 2), static(1), logged(n, 2))
		for _, e := range sim.Measures {
			m, _ := measure.Named(e.Name)
			if e.Low < 0 || m.Unit == measure.Share && e.High > 1 && e.Mean <= 1 {
				t.Errorf("%d jobs: %s %+v", n, e.Name, e.Interval)
			}
		}
	}
}

// TestStretchWithoutJobs: a picture of no jobs shows no time.
func TestStretchWithoutJobs(t *testing.T) {
	for _, jobs := range []machine.Workload{nil, machine.List(nil)} {
		if from, to := validate.Stretch(machine.Config{Jobs: jobs}, validate.Options{}); from != 0 || to != 0 {
			t.Errorf("%v: from %g to %g", jobs, from, to)
		}
	}
	if err := validate.Record(t.Context(), machine.Config{}, validate.Options{}, 1, nil, nil); err == nil {
		t.Error("a run is recorded without a recorder")
	}
}
