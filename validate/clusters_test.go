package validate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/metric"
)

// clusters is a measure whose events come in clusters at random: a number of waiting jobs, say.
type clusters struct {
	name   string
	number float64                                         // expected in all replications
	mean   float64                                         // size of a cluster
	draw   func(r *rand.Rand) (size float64, jobs float64) // of one cluster
}

// busy returns the clusters that are busy periods of M/M/1 at a load: the size is the integral of the number of jobs.
func busy(name string, load, number float64) clusters {
	draw := func(r *rand.Rand) (size, jobs float64) {
		for in := 1; in > 0; {
			size += float64(in) * r.ExpFloat64() / (1 + load)
			if r.Float64()*(1+load) < load {
				in++
			} else {
				in--
				jobs++
			}
		}
		return size, jobs
	}
	return clusters{name, number, 1 / ((1 - load) * (1 - load)), draw}
}

// squares returns clusters of five jobs, whose size is the square of an exponential variable.
func squares(name string, number float64) clusters {
	return clusters{name, number, 2, func(r *rand.Rand) (float64, float64) {
		x := r.ExpFloat64()
		return x * x, 5
	}}
}

// replicationsOfClusters is the number of replications that a simulation has by default.
const replicationsOfClusters = 32

// simulate draws the clusters of all replications.
func (c clusters) simulate(r *rand.Rand) validate.Simulation {
	x, events := make([]float64, replicationsOfClusters), 0.0
	for k := range x {
		for at := r.ExpFloat64(); at < c.number/replicationsOfClusters; at += r.ExpFloat64() {
			size, jobs := c.draw(r)
			x[k], events = x[k]+size, events+jobs
		}
	}
	return validate.Simulation{Policy: dynamic, Jobs: int64(events), Measures: []validate.Estimate{
		{Name: measure.MeanWaitingJobs, Interval: metric.Student(x, .95), Count: events}}}
}

// rejected returns in how many of the trials a solution that is wrong by a factor is rejected at a level.
func (c clusters) rejected(trials int, wrong, level float64) (n int) {
	r := needs.Rand(71, 72)
	solution := models.Measures{Stable: true, MeanWaitingJobs: wrong * c.number / replicationsOfClusters * c.mean}
	for range trials {
		if compared := validate.Compare(solution, c.simulate(r), level); compared.Failure() != nil {
			n++
		}
	}
	return n
}

// Waiting in few, large clusters is no error of a solution, although a sample without the largest of them has a small mean and a
// small standard error. The level is that of one of ten measures. The number of false alarms is bounded by three standard
// deviations.
func TestFewClustersAreNoError(t *testing.T) {
	needs.Long(t, "draws millions of busy periods")
	const trials, level = 4000, .001
	for _, c := range []clusters{
		squares("200 squares", 200), squares("1000 squares", 1000),
		busy("400 busy periods at load .6", .6, 400), busy("1000 busy periods at load .6", .6, 1000),
		busy("400 busy periods at load .85", .85, 400), busy("1000 busy periods at load .85", .85, 1000),
		busy("200 busy periods at load .95", .95, 200),
	} {
		n := c.rejected(trials, 1, level)
		t.Logf("%s: %d false alarms of %d, expected %g", c.name, n, trials, trials*level)
		if float64(n) > trials*level+3*math.Sqrt(trials*level) {
			t.Errorf("%s: %d false alarms of %d at the level %g", c.name, n, trials, level)
		}
	}
}

// Errors are noticed in measures of clusters if the clusters are many, or if the error is large.
func TestErrorsAreNoticedInClusters(t *testing.T) {
	const trials, level = 200, .001
	for _, c := range []struct {
		clusters
		wrong, least float64 // the factor of the solution, and the share of trials that must notice it
	}{
		{squares("4000 squares", 4000), 1.4, .9}, {squares("4000 squares", 4000), .7, .97},
		{squares("1000 squares", 1000), 2, .85}, {squares("1000 squares", 1000), .5, .97},
		{squares("400 squares", 400), 10, .85}, {squares("400 squares", 400), .2, .97},
	} {
		n := c.rejected(trials, c.wrong, level)
		if float64(n) < c.least*trials {
			t.Errorf("%s: %g times the value is noticed in %d trials of %d", c.name, c.wrong, n, trials)
		}
	}
}

// A simulation that is too short to judge a measure says how many jobs would do. Of simulations of so many jobs, or of as many as
// they ask for in turn, few false alarms come, and twice the value is noticed.
func TestJobsNeeded(t *testing.T) {
	const trials, level = 600, .01
	for _, c := range []clusters{squares("100 squares", 100), squares("300 squares", 300), busy("100 busy periods", .85, 100)} {
		for wrong, within := range map[float64][2]float64{1: {0, level + 3*math.Sqrt(level/trials)}, 2: {.8, 1}} {
			r, rejected, extended := needs.Rand(75, 76), 0, 0
			for range trials {
				now := c
				for {
					solution := models.Measures{Stable: true, MeanWaitingJobs: wrong * now.number / replicationsOfClusters * now.mean}
					sim := now.simulate(r)
					row := validate.Compare(solution, sim, level).Rows[0]
					if row.JobsNeeded == 0 {
						if !row.Pass {
							rejected++
						}
						break
					}
					if row.Judged || row.JobsNeeded <= sim.Jobs {
						t.Fatalf("%s: %d jobs needed of %d, judged: %v", c.name, row.JobsNeeded, sim.Jobs, row.Judged)
					}
					extended++
					now.number *= float64(row.JobsNeeded) / float64(sim.Jobs)
				}
			}
			share := float64(rejected) / trials
			t.Logf("%s, %g times the value: %.3g rejected, made longer %.2g times", c.name, wrong, share, float64(extended)/trials)
			if share < within[0] || share > within[1] {
				t.Errorf("%s, %g times the value: %.3g are rejected, want %v", c.name, wrong, share, within)
			}
		}
	}
}

// Where no job waits in a short simulation, the number of jobs that would do comes from the exact probability of waiting, for all
// three measures of waiting.
func TestJobsNeededWithoutEvents(t *testing.T) {
	s := system(t, 12, .6, exponential, func(int) float64 { return 1 })
	sim := simulate(t, s, static(12), validate.Options{Seed: 1, MaxJobs: 20_000})
	c := validate.Compare(solved(t, s, static(12)), sim, 0)
	least := 400 / erlangC(12, .6)
	for _, name := range []string{measure.ProbabilityWait, measure.MeanWaitingJobs, measure.MeanWaitingTime} {
		if r := row(t, c, name); r.Judged || r.Simulated != 0 || float64(r.JobsNeeded) < least || float64(r.JobsNeeded) > 4*least {
			t.Errorf("%s: %d jobs needed, want %g or some more", name, r.JobsNeeded, least)
		}
	}
	if n, jobs := c.TooShort(); n != 3 || float64(jobs) < least {
		t.Errorf("too short for %d measures, %d jobs would do", n, jobs)
	}
}

// A simulation of as many jobs as a short one asks for judges all measures, in nearly all runs.
func TestJobsNeededAreEnough(t *testing.T) {
	s := system(t, 8, 1.6, exponential, func(int) float64 { return 1 })
	exact, seeds, short := solved(t, s, static(8)), 8, 0
	for seed := range uint64(seeds) {
		first, err := validate.Simulate(ctx, s, static(8), validate.Options{Precision: .05, Seed: 1 + seed})
		if err != nil {
			t.Fatal(err)
		}
		c := validate.Compare(exact, first, 0)
		n, jobs := c.TooShort()
		if n != 3 || float64(jobs) < 400/exact.ProbabilityWait {
			t.Fatalf("seed %d: %d jobs for %d measures", 1+seed, jobs, n)
		}
		second, err := validate.Simulate(ctx, s, static(8), validate.Options{Precision: .05, Seed: 1 + seed, MinJobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		c = validate.Compare(exact, second, 0)
		if n, more := c.TooShort(); n > 0 {
			short++
			t.Logf("seed %d: %d jobs, and %d would do", 1+seed, second.Jobs, more)
		}
	}
	if short > 1 {
		t.Errorf("%d of %d simulations are too short", short, seeds)
	}
}

// The number of jobs that a short simulation proposes is enough for nearly all simulations, whatever the clusters. It is at
// most about twice the number with which 95 % of simulations are judged: 140 equal clusters' worth.
func TestProposalsAreEnough(t *testing.T) {
	needs.Long(t, "draws millions of busy periods")
	const trials, needed = 300, 140
	tried, short := 0, 0
	var excess []float64
	for _, c := range []clusters{squares("squares", 0), busy("busy periods at load .2", .2, 0),
		busy("busy periods at load .6", .6, 0), busy("busy periods at load .85", .85, 0)} {
		r := needs.Rand(77, 78)
		worth := c.worth(r)
		for _, equal := range []float64{3, 10, 30, 60} {
			for range trials {
				now := c
				now.number = equal / worth
				again := func() (int, float64) {
					solution := models.Measures{Stable: true, MeanWaitingJobs: now.number / replicationsOfClusters * now.mean}
					sim := now.simulate(r)
					compared := validate.Compare(solution, sim, 0)
					n, jobs := compared.TooShort()
					return n, float64(jobs) / float64(sim.Jobs)
				}
				n, factor := again()
				if n == 0 || factor == 0 { // judged, or without a job
					continue
				}
				now.number *= factor
				excess = append(excess, now.number*worth/needed)
				tried++
				if n, _ = again(); n > 0 {
					short++
				}
			}
		}
	}
	slices.Sort(excess)
	median := excess[len(excess)/2]
	t.Logf("%d of %d proposals are too short; the median is %.2f times what is needed", short, tried, median)
	if float64(short) > .05*float64(tried) || median > 2 {
		t.Errorf("%d of %d proposals are too short, the median is %.2f times what is needed", short, tried, median)
	}
}

// worth returns how many equal clusters scatter like one of these: the square of the mean size over the mean square.
func (c clusters) worth(r *rand.Rand) float64 {
	const drawn = 100_000
	sum, squares := 0.0, 0.0
	for range drawn {
		size, _ := c.draw(r)
		sum, squares = sum+size, squares+size*size
	}
	return sum * sum / squares / drawn
}

// An error of the detectable size in an ordinary measure is noticed with a probability of 80 %, whether the solution is too high
// or too low.
func TestDetectableErrorsAreNoticed(t *testing.T) {
	const trials, scatter, level = 4000, .03, .01
	r := needs.Rand(73, 74)
	df := replicationsOfClusters - 1
	size := (metric.Quantile(df, 1-level/2) + metric.Quantile(df, .8)) * scatter / math.Sqrt(replicationsOfClusters)
	for _, wrong := range []float64{1 + size, 1 - size} {
		n := 0
		for range trials {
			x := make([]float64, replicationsOfClusters)
			for k := range x {
				x[k] = 1 + scatter*r.NormFloat64()
			}
			sim := validate.Simulation{Policy: dynamic, Measures: []validate.Estimate{
				{Name: measure.MeanResponseTime, Interval: metric.Student(x, .95), Count: 1e6}}}
			if c := validate.Compare(models.Measures{Stable: true, MeanResponseTime: wrong}, sim, level); !c.Pass {
				n++
			}
		}
		if share := float64(n) / trials; share < .77 {
			t.Errorf("an error of %.2g %% is noticed in %.3g of the trials", 100*(wrong-1), share)
		}
	}
}

// In this short simulation few jobs wait, and in few clusters: the simulated number of waiting jobs is 4.6 of its standard errors
// below the solution, which a longer simulation confirms.
func TestShortSimulationWithFewWaits(t *testing.T) {
	m, err := modelfile.Load("../testdata/examples/malleable.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sim, err := validate.Simulate(ctx, m.System, dynamic, validate.Options{Precision: .05, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := validate.Compare(solved(t, m.System, dynamic), sim, 0)
	if f := c.Failure(); f != nil {
		t.Errorf("%s: solved %v, simulated %v ± %v", f.Measure, f.Analytic, f.Simulated, f.StdErr)
	}
	if r := row(t, c, measure.MeanWaitingJobs); r.Judged {
		t.Errorf("judged with a standard error of %v of %v", r.StdErr, r.Simulated)
	} else if r.JobsNeeded <= sim.Jobs || r.JobsNeeded > 100*sim.Jobs {
		t.Errorf("%d jobs would do, where %d are too few", r.JobsNeeded, sim.Jobs)
	}
	if r := row(t, c, measure.MeanResponseTime); !r.Judged {
		t.Error("the mean response time is not judged")
	}
}

// The verdict is wrong for at most 1 % of short simulations, within three standard deviations: of systems in which few jobs wait,
// and of others.
func TestLevelOfTheVerdict(t *testing.T) {
	needs.Study(t, "simulates hundreds of millions of jobs")
	const seeds = 100
	mm8 := system(t, 8, 4, exponential, func(int) float64 { return 1 })
	if got, want := solved(t, mm8, static(8)).ProbabilityWait, erlangC(8, 4); math.Abs(got-want) > 1e-9 {
		t.Fatalf("the probability of waiting in M/M/8 is %v, by Erlang's formula %v", got, want)
	}
	simulated, alarms := 0, 0
	for _, c := range append(exampleSystems(t), verdictCase{"M/M/8", mm8, static(8)}) {
		exact, n := solved(t, c.system, c.policy), 0
		for seed := range uint64(seeds) {
			sim, err := validate.Simulate(ctx, c.system, c.policy, validate.Options{Precision: .05, Seed: 1 + seed})
			if err != nil {
				t.Fatal(err)
			}
			compared := validate.Compare(exact, sim, 0)
			if f := compared.Failure(); f != nil {
				n++
				t.Logf("%s, seed %d: %s %s, z = %.2f", c.name, 1+seed, f.Class, f.Measure, f.Z)
			}
		}
		t.Logf("%s, %v: %d false alarms of %d", c.name, c.policy, n, seeds)
		simulated, alarms = simulated+seeds, alarms+n
	}
	expected := .01 * float64(simulated)
	if float64(alarms) > expected+3*math.Sqrt(expected) {
		t.Errorf("%d false alarms of %d", alarms, simulated)
	}
}

// verdictCase is a policy on a system that has a solution.
type verdictCase struct {
	name   string
	system *models.System
	policy policy.Policy
}

// exampleSystems returns policies on the systems of examples, and on one example at a low and at a high load.
func exampleSystems(t *testing.T) (all []verdictCase) {
	for _, name := range []string{"malleable", "gpu-training", "measured"} {
		m, err := modelfile.Load("../testdata/examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, verdictCase{name, m.System, dynamic})
		if name != "malleable" {
			continue
		}
		all = append(all, verdictCase{name, m.System, static(8)}, verdictCase{name, m.System, static(16)})
		for _, load := range []float64{.5, .7} {
			s, err := m.System.WithLoad(load)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, verdictCase{name, s, dynamic})
		}
	}
	return all
}
