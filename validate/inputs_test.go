package validate_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/internal/machinetest"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/sched"
)

var (
	folding   = policy.Folding{}
	smoothing = policy.Smoothing{Mean: 0.5, SCV: 1}
)

// The measures of M/M/1 are known.
func TestMeasuresOfOneServer(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	s := system(t, 1, 0.6, exponential, func(int) float64 { return 1 })
	sim := simulate(t, s, dynamic, validate.Options{Seed: 2})
	for name, want := range map[string]float64{"mean_response_time": 2.5, "variance_jobs": 0.6 / 0.16,
		"probability_empty": 0.4, "probability_wait": 0.6, "throughput": 0.6} {
		e, _ := sim.Measure(name)
		if math.Abs(e.Mean-want) > 4*e.StdErr || !(e.StdErr > 0) {
			t.Errorf("%s = %v ± %v, want %v", name, e.Mean, e.StdErr, want)
		}
	}
}

// M/M/1: the response time is exponential with mean 1/(μ−λ), whatever the intervals are made of.
func TestPercentiles(t *testing.T) {
	s := system(t, 1, 0.6, exponential, func(int) float64 { return 1 })
	for _, o := range []validate.Options{{}, {Replications: 1}} {
		sim := simulate(t, s, dynamic, o)
		for _, q := range measure.ResponseTimePercentiles() {
			name := measure.ResponseTimePercentile(q)
			e, ok := sim.Measure(name)
			want := -2.5 * math.Log(1-q)
			// Four standard errors, and what a class of the histogram is wide.
			if !ok || math.Abs(e.Mean-want) > 4*e.StdErr+want/512 || e.StdErr > 0.02*want {
				t.Errorf("%+v: %s = %v ± %v, want %v", o, name, e.Mean, e.StdErr, want)
			}
		}
	}
}

// A log made by drawing from the model, replayed, gives what the model gives; the run itself is known exactly.
func TestReplay(t *testing.T) {
	s := system(t, 1, 0.6, exponential, func(int) float64 { return 1 })
	s.Demand, s.Speedup = exponential(1), workload.Linear{}
	stream := des.Seed(5).Stream()
	var jobs []workload.Job
	var now, end, response float64
	for range 200_000 {
		now += stream.Exp() / 0.6
		d := stream.Exp()
		end = math.Max(end, now) + d
		response += end - now
		jobs = append(jobs, workload.Job{Submit: now, Kind: workload.Malleable, Work: d})
	}
	sim := replay(t, s, dynamic, jobs)
	e, _ := sim.Measure("mean_response_time")
	if math.Abs(e.Mean-response/200_000) > 1e-9*e.Mean { // rounding of sums
		t.Errorf("mean response time %v, want that of the log, %v", e.Mean, response/200_000)
	}
	if math.Abs(e.Mean-2.5) > 4*e.StdErr || sim.Jobs != 200_000 || !sim.Reached || sim.Replications != 1 {
		t.Errorf("%+v of %d jobs", e, sim.Jobs)
	}
	if math.Abs(sim.Intensity-0.6) > 0.01 {
		t.Errorf("traffic intensity %v", sim.Intensity)
	}
	interrupted, cancel := context.WithCancel(ctx)
	o := validate.Options{Progress: func(p validate.Progress) {
		if p.Jobs > 50_000 {
			cancel()
		}
	}}
	partial, err := validate.Replay(interrupted, s, dynamic, jobs, o)
	if err != nil || !partial.Partial || partial.Jobs >= 200_000 {
		t.Errorf("interrupted: %v, partial %v, %d jobs", err, partial.Partial, partial.Jobs)
	}
}

// Demands from a sample with the moments of the model's: M/G/1, whose mean waiting time is λ·E[D²]/(2(1−ρ)).
func TestSample(t *testing.T) {
	s := system(t, 1, 0.5, exponential, func(int) float64 { return 1 })
	sample := []float64{0.2, 0.4, 0.4, 3}
	want := 0.5 * (0.04 + 0.16 + 0.16 + 9) / 4 / (2 * 0.5)
	o := validate.Options{Fidelity: validate.MachineFidelity, Sample: sample}
	e, _ := simulate(t, s, dynamic, o).Measure("mean_waiting_time")
	if math.Abs(e.Mean-want) > 4*e.StdErr {
		t.Errorf("mean waiting time %v ± %v, want %v", e.Mean, e.StdErr, want)
	}
	o.Sample = []float64{3}
	var unstable *models.UnstableError
	if _, err := validate.Simulate(ctx, s, dynamic, o); !errors.As(err, &unstable) || unstable.TrafficIntensity != 1.5 {
		t.Errorf("demands of 3 at rate .5: %v", err)
	}
}

func TestInputsAreChecked(t *testing.T) {
	s := cluster(t, 4, 0.5)
	one := []workload.Job{{Submit: 1, Kind: workload.Malleable, Work: 1}}
	if _, err := validate.Replay(ctx, s, dynamic, one, validate.Options{Sample: []float64{1}}); err == nil {
		t.Error("a replay and a sample: no error")
	}
	if _, err := validate.Replay(ctx, s, dynamic, nil, validate.Options{}); err == nil {
		t.Error("no jobs to replay: no error")
	}
	for _, o := range []validate.Options{{Sample: []float64{1}}, {Fidelity: validate.MachineFidelity, Sample: []float64{}},
		{Fidelity: validate.MachineFidelity, Sample: []float64{1, -1}}} {
		if _, err := validate.Simulate(ctx, s, dynamic, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := validate.Simulate(ctx, s, folding, validate.Options{}); err == nil {
		t.Error("folding at model fidelity: no error")
	}
	for _, s := range []*models.System{nil, {}} {
		var wrong *models.SystemError
		if _, err := validate.Simulate(ctx, s, dynamic, validate.Options{}); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// serially runs one job at a time, on one node.
type serially struct{}

func (serially) Name() string { return "serially" }

func (serially) Decide(v sched.View, _ []sched.Event, do []sched.Action) []sched.Action {
	if v.Running() == 0 && v.Waiting() > 0 {
		do = append(do, sched.Allocate(v.Queued(0).Job, 1))
	}
	return do
}

// A policy of another program that cannot keep up is found out; one that can is not taken for it, though bursts of arrivals
// last longer than the run.
func TestOwnPoliciesThatCannotKeepUp(t *testing.T) {
	needs.Long(t, "simulates millions of jobs")
	serial := machinetest.Own{New: func() sched.Policy { return serially{} }}
	bursts := func(times float64) phasetype.MAP { // half of the time, of about a million jobs each
		a, b := 1.04*times, 0.86*times
		m, err := phasetype.NewMAP(mat.NewDense(2, 2, []float64{-a - 1e-6, 1e-6, 1e-6, -b - 1e-6}), mat.NewDense(2, 2, []float64{a, 0, 0, b}))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		name         string
		arrivals     phasetype.MAP
		intensity    float64 // that is found; 0 if the policy keeps up, or if the run says too little
		replications int
	}{
		{"load 2", poisson(t, 2), 2, 8}, {"load 1.2", poisson(t, 1.2), 1.2, 8}, {"load 1.2, two replications", poisson(t, 1.2), 0, 2},
		{"load 2, one replication", poisson(t, 2), 0, 1}, {"load .95", poisson(t, 0.95), 0, 8}, {"load .99", poisson(t, 0.99), 0, 8},
		{"bursts, load .95", bursts(1), 0, 8}, {"bursts, load 1.2", bursts(1.2 / 0.95), 1.2, 8},
	} {
		s := system(t, 4, 1, exponential, func(int) float64 { return 1 })
		s.Arrivals, s.Demand, s.Speedup = c.arrivals, exponential(1), workload.Linear{}
		sim, err := validate.Simulate(ctx, s, serial, validate.Options{Fidelity: validate.MachineFidelity, Seed: 1, MaxJobs: 400_000,
			Replications: c.replications})
		var unstable *models.UnstableError
		// The throughput of ten thousand jobs or more is known to 1 %; in bursts the arrivals are 10 % more or less.
		if found := errors.As(err, &unstable); found != (c.intensity > 0) || found && math.Abs(unstable.TrafficIntensity/c.intensity-1) > 0.03 {
			t.Errorf("%s: %v", c.name, err)
		}
		if sim.Reached {
			t.Errorf("%s: the precision of 1 %% was reached, %+v", c.name, sim.Measures[0])
		}
	}
}

// Under every policy all jobs come through, as many as come, and Little's law holds, which the estimates do not assume.
func TestEveryPolicyKeepsLittlesLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	s := cluster(t, 8, 0.6)
	for _, p := range []policy.Policy{dynamic, static(2), folding, smoothing, policy.Capped{Jobs: 3}} {
		sim := simulate(t, s, p, validate.Options{Fidelity: validate.MachineFidelity, Precision: coarse(0.03), Replications: few(32), Seed: 3})
		jobs, _ := sim.Measure("mean_jobs")
		response, _ := sim.Measure("mean_response_time")
		through, _ := sim.Measure("throughput")
		if math.Abs(through.Mean-s.Arrivals.Rate()) > 4*through.StdErr {
			t.Errorf("%s: throughput %v, arrivals %v", p, through.Mean, s.Arrivals.Rate())
		}
		// The sums are of the same jobs but for those in the system at the ends.
		if d := jobs.Mean/(response.Mean*through.Mean) - 1; math.Abs(d) > 0.005 {
			t.Errorf("%s: jobs %v, throughput × response time %v", p, jobs.Mean, response.Mean*through.Mean)
		}
	}
}

// While a machine fills, the jobs that have departed are the short ones: of 400 jobs or more in the system and 10,000 that have
// departed, the mean response time is not known to 2.5 %, though its interval is that narrow. At most half of the 10,000 jobs are
// warm-up: 12 mean run times are 4,800 jobs.
func TestJobsInTheSystemBoundThePrecision(t *testing.T) {
	s := system(t, 800, 0.5*800, exponential, func(int) float64 { return 1 })
	sim := simulate(t, s, static(800), validate.Options{Seed: 1, Replications: 8, MaxJobs: 80_000, Precision: 0.025})
	e, _ := sim.Measure("mean_response_time")
	if sim.Reached || e.Relative() > 0.025 || !(sim.Precision > 0.03) {
		t.Errorf("reached %v, precision %v, relative half width %v", sim.Reached, sim.Precision, e.Relative())
	}
}

// A trace is the first replication again: its response times are those of the simulation's.
func TestRecordIsTheFirstReplication(t *testing.T) {
	s := cluster(t, 4, 0.6)
	o := validate.Options{Fidelity: validate.MachineFidelity, Replications: 1, MaxJobs: 640, Seed: 9}
	var sum float64
	n := 0
	done := func(r *machine.Record) {
		if n++; n <= 640 {
			sum += r.Response()
		}
	}
	c, err := validate.WholeNodes(s, dynamic, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Record(ctx, c, o, 640, &machine.Recorder{}, done); err != nil {
		t.Fatal(err)
	}
	sim := simulate(t, s, dynamic, o)
	if sim.Jobs != 640 || n < 640 {
		t.Fatalf("%d and %d jobs", sim.Jobs, n)
	}
	e, _ := sim.Measure("mean_response_time")
	if sim.Warmup == 0 && math.Abs(e.Mean-sum/640) > 1e-6*e.Mean {
		t.Errorf("mean response time %v, of the trace %v", e.Mean, sum/640)
	}
}

// Memory does not grow with the length of the run: sixteen times as many jobs, the same allocations but for what a
// longer queue and wider histograms take.
func TestMemoryIsConstant(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	s := cluster(t, 8, 0.5)
	allocated := func(jobs int64) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		simulate(t, s, dynamic, validate.Options{MaxJobs: jobs, Precision: 1e-9, Replications: 4, Workers: 1})
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	short, long := allocated(40_000), allocated(640_000)
	if long > 1.5*short {
		t.Errorf("%.0f bytes for 40,000 jobs, %.0f for 640,000", short, long)
	}
}

// The results on whole nodes do not depend on the number of workers.
func TestWorkersOnWholeNodes(t *testing.T) {
	needs.Concurrency(t)
	s := cluster(t, 8, 0.6)
	for _, o := range []validate.Options{{Fidelity: validate.MachineFidelity}} {
		var first validate.Simulation
		for _, workers := range []int{1, 2, 16} {
			if o.Precision, o.Workers = coarse(0.05), workers; !needs.IsLong() {
				o.Precision, o.MaxJobs, o.Replications = 0, 16_000, 8
			}
			got := timeless(simulate(t, s, dynamic, o))
			if workers == 1 {
				first = got
			} else if !slices.Equal(got.Measures, first.Measures) || got.Jobs != first.Jobs {
				t.Errorf("%+v: %d workers give another result than one", o, workers)
			}
		}
	}
}
