package families_test

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
	"github.com/partwise/partwise/validate/lab/internal/families"
	"github.com/partwise/partwise/validate/machine"
)

func TestMain(m *testing.M) { needs.Main(m) }

// drawn returns jobs that come as a Poisson process, each with run times of the given distribution on the nodes that size
// draws.
func drawn(nodes, jobs int, gap float64, run phasetype.Dist, size func(u float64) int) *families.Workload {
	w := &families.Workload{Nodes: nodes, Unit: 1}
	stream := des.Seed(11).Stream()
	now := 0.0
	law := phasetype.NewLaw(run)
	for range jobs {
		now += gap * stream.Exp()
		n := size(stream.Float64())
		t := law.Quantile(stream.Float64())
		w.Jobs = append(w.Jobs, workload.Job{Submit: now, Nodes: n, Run: t, Work: t * float64(n), User: -1, Application: -1})
	}
	return w
}

func run(t *testing.T, w *families.Workload, o families.Options, policies ...policy.Policy) []families.Outcome {
	t.Helper()
	var all []families.Family
	for _, p := range policies {
		all = append(all, families.Family{Policy: p})
	}
	out, err := families.Run(context.Background(), w, all, withDefaults(o))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withDefaults returns options with the cluster of the paper, its types of jobs and a mean run time of two seconds where they say
// nothing else.
func withDefaults(o families.Options) families.Options {
	if o.Types == nil {
		o.Types = cluster.Types()
	}
	if o.Cluster.Nodes == 0 {
		o.Cluster = cluster.Defaults(policy.Gang{})
	}
	o.Dedicated = cmp.Or(o.Dedicated, 2)
	return o
}

// computing is the work of jobs that hardly send messages.
var computing = []cluster.Type{{Name: "computing", Compute: .99, Communicate: .01}}

// alone is the work of jobs of one node, which compute when others would send messages; iterations are short, so that the
// whole number of them that makes a job is about its run time.
var alone = []cluster.Type{{Name: "alone", Compute: .5, Communicate: .5}}

// free returns a cluster on which nothing but work takes time.
func free(mpl int, quantum time.Duration) cluster.Config {
	c := cluster.Defaults(policy.Gang{})
	c.MPL, c.Skew = mpl, 0
	c.Costs.GangSwitch, c.Costs.GangQuantum = 0, quantum
	return c
}

// With one row gang scheduling runs jobs alone on their nodes, first come, first served: they start when they do on a
// machine of whole nodes, but for the slices, at whose ends they begin, and for whole iterations.
func TestOneRowOfGangSchedulingIsFCFS(t *testing.T) {
	w := drawn(8, 150, 2.5, phasetype.Must(phasetype.Exponential(1./5)), func(u float64) int { return 1 + int(6*u) })
	const quantum = 1e-3
	out := run(t, w, families.Options{Types: computing, Dedicated: w.MeanRun(), Cluster: free(1, quantum*1e9)}, policy.Gang{}, policy.FCFS{})
	waited := 0
	for i := range w.Jobs {
		// A start is late by the delays of those before it that it has waited for: at most a slice, and a whole iteration, for
		// each.
		gang, fcfs := out[0].Starts[i], out[1].Starts[i]
		if d := math.Abs(gang - fcfs); d > float64(i+1)*0.02 {
			t.Fatalf("job %d starts at %g, and at %g under FCFS", i, gang, fcfs)
		}
		if fcfs > w.Jobs[i].Submit {
			waited++
		}
	}
	if waited < len(w.Jobs)/2 {
		t.Errorf("only %d jobs waited", waited)
	}
}

// As slices become short and free, gang scheduling of jobs of all nodes becomes processor sharing, where the mean response
// time is that of M/M/1, E[S]/(1 − ρ), whatever the distribution of run times: with -long those of M/M/1 itself as well.
//
// Reference: L. Kleinrock, Queueing Systems II, Wiley, 1976, section 4.4.
func TestFreeSlicesOfGangSchedulingAreProcessorSharing(t *testing.T) {
	variations := []float64{4}
	if needs.IsLong() {
		variations = []float64{1, 4}
	}
	for _, scv := range variations {
		const load = 0.6
		w := drawn(1, 8000, 1/load, phasetype.Must(phasetype.TwoMoments(1, scv)), func(float64) int { return 1 })
		out := run(t, w, families.Options{Types: alone, Dedicated: w.MeanRun(),
			Cluster: free(64, 20*time.Millisecond)}, policy.Gang{}, policy.FCFS{})
		// of the run times and the load that were drawn
		mean, rate := w.MeanRun(), float64(len(w.Jobs)-1)/(w.Jobs[len(w.Jobs)-1].Submit-w.Jobs[0].Submit)
		want := mean / (1 - rate*mean)
		got := out[0].MeanResponseTime
		t.Logf("scv %g: %.4f ± %.4f, processor sharing %.4f, FCFS %.4f", scv, got.Mean, got.HalfWidth, want,
			out[1].MeanResponseTime.Mean)
		if math.Abs(got.Mean-want) > 2*got.HalfWidth || 2*got.HalfWidth > 0.25*want { // four standard errors
			t.Errorf("scv %g: mean response time %g ± %g, want %g", scv, got.Mean, got.HalfWidth, want)
		}
	}
}

// The same jobs under processor sharing proper.
func TestFreeSlicesShareEvenlyAmongTheSameJobs(t *testing.T) {
	needs.Concurrency(t)
	w := drawn(1, 1000, 1/0.6, phasetype.Must(phasetype.TwoMoments(1, 4)), func(float64) int { return 1 })
	want := 0.0
	shared := processorSharing(w)
	for _, response := range shared[len(shared)/10:] {
		want += response / float64(len(shared)-len(shared)/10)
	}
	for _, quantum := range []float64{0.02, 0.01} {
		o := families.Options{Types: alone, Dedicated: w.MeanRun(), Cluster: free(64, time.Duration(quantum*1e9))}
		got := run(t, w, o, policy.Gang{})[0].MeanResponseTime.Mean
		t.Logf("slices of %g: %.4f, processor sharing %.4f", quantum, got, want)
		// A job begins with the slice after the one in which it comes and ends within one: a turn, of 1/(1 − ρ) = 2.5 slices on
		// average, is what that makes of it, and what vanishes with the slices. With 3 there is room for their scatter.
		if math.Abs(got-want) > 3*quantum {
			t.Errorf("slices of %g: mean response time %g, want %g", quantum, got, want)
		}
	}
}

// processorSharing returns the response times of jobs that share a processor evenly.
func processorSharing(w *families.Workload) []float64 {
	response := make([]float64, len(w.Jobs))
	left := map[int]float64{}
	now := 0.0
	for arrived := 0; arrived < len(w.Jobs) || len(left) > 0; {
		first, least := -1, math.Inf(1)
		for i, x := range left {
			if x < least {
				first, least = i, x
			}
		}
		until := now + least*float64(len(left))
		if arrived < len(w.Jobs) && (first < 0 || w.Jobs[arrived].Submit < until) {
			until, first = w.Jobs[arrived].Submit, -1
		}
		for i := range left {
			left[i] -= (until - now) / float64(len(left))
		}
		if now = until; first < 0 {
			left[arrived] = w.Jobs[arrived].Run
			arrived++
			continue
		}
		response[first] = now - w.Jobs[first].Submit
		delete(left, first)
	}
	return response
}

// standard returns jobs of a system under all families.
func standard(t *testing.T, jobs, workers int) []families.Outcome {
	t.Helper()
	w := systemJobs(t, jobs)
	out, err := families.Run(context.Background(), w, families.Standard(w, machine.Resizes{{Nodes: 1, Shrink: 1, Expand: 1}}),
		withDefaults(families.Options{Workers: workers, Dedicated: 0.1}))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func systemJobs(t *testing.T, jobs int) *families.Workload {
	t.Helper()
	poisson, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.05)))
	if err != nil {
		t.Fatal(err)
	}
	speedup, err := workload.NewSpeedup("amdahl", 0.02)
	if err != nil {
		t.Fatal(err)
	}
	s, err := models.NewSystem(8, 1, poisson, phasetype.Must(phasetype.TwoMoments(80, 3)), speedup)
	if err != nil {
		t.Fatal(err)
	}
	w, err := families.FromSystem(s, jobs, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAllFamilies(t *testing.T) {
	needs.Concurrency(t)
	out := standard(t, 140, 1)
	again := standard(t, 140, 3)
	var dynamic, costly float64
	for i, o := range out {
		if !reflect.DeepEqual(o.MeanResponseTime, again[i].MeanResponseTime) || !reflect.DeepEqual(o.MeanSlowdown, again[i].MeanSlowdown) {
			t.Errorf("%s: other results with three workers", o.Label())
		}
		t.Logf("%-12s %-16s %8.2f ± %6.2f  %6.2f ± %5.2f  %.3f", o.Name, o.Label(), o.MeanResponseTime.Mean, o.MeanResponseTime.HalfWidth,
			o.MeanSlowdown.Mean, o.MeanSlowdown.HalfWidth, o.Utilization)
		if !(o.MeanResponseTime.Mean > 0 && o.MeanSlowdown.Mean > 0 && o.Utilization > 0 && o.Utilization <= 1) || o.Jobs != 126 {
			t.Errorf("%s: %+v", o.Label(), o)
		}
		switch o.Label() {
		case "dynamic":
			dynamic = o.MeanResponseTime.Mean
		case "dynamic+costs":
			costly = o.MeanResponseTime.Mean
		}
	}
	if !(dynamic < costly) {
		t.Errorf("resizes that cost something take %g, free ones %g", costly, dynamic)
	}
	best, tied := families.Best(out)
	if one := out[best].RatioTo(&out[best]); one.Mean != 1 || one.HalfWidth > 1e-9 {
		t.Errorf("the best is %g ± %g of itself", one.Mean, one.HalfWidth)
	}
	if len(tied) == 0 || len(tied) == len(out) {
		t.Errorf("%d of %d families do not differ from the best", len(tied), len(out))
	}
}

// The machine of whole nodes under one family is the one that replays run.
func TestAFamilyIsTheMachineUnderItsPolicy(t *testing.T) {
	w := systemJobs(t, 300)
	out := run(t, w, families.Options{}, policy.EASY{})
	var rigid machine.List
	for _, j := range w.Jobs {
		rigid = append(rigid, j.Rigid())
	}
	sum := 0.0
	_, err := machine.Run(context.Background(), machine.Config{Nodes: w.Nodes, Policy: policy.EASY{}, Jobs: rigid,
		Done: func(r *machine.Record) {
			if r.Number >= 30 {
				sum += r.Response()
			}
		}}, des.Seed(0))
	if err != nil {
		t.Fatal(err)
	}
	// the jackknife takes the bias off the ratio of sums, which has none where batches are of equal size but for one job
	if got := out[0].MeanResponseTime.Mean; math.Abs(got-sum/270) > 0.02*sum/270 {
		t.Errorf("mean response time %g, and %g on the machine", got, sum/270)
	}
}

// A job that gets more nodes than it asks for has a slowdown of 1, not less, and nodes that a resize stops are not utilized: both
// measures mean here what docs/measures.md says.
func TestSlowdownAndUtilizationAreThoseOfAllCommands(t *testing.T) {
	w := &families.Workload{Nodes: 2, Unit: 1}
	const pairs, apart = 64, 100.
	for i := range pairs {
		for j := range 2 { // the second job of a pair shrinks the first to one node; the end of one gives the other both
			w.Jobs = append(w.Jobs, workload.Job{Submit: apart*float64(i) + float64(j), Nodes: 1, Run: 8 + 2*float64(j), Work: 8 + 2*float64(j)})
		}
	}
	lone := apart * pairs
	w.Jobs = append(w.Jobs, workload.Job{Submit: lone, Nodes: 1, Run: 8, Work: 8})
	costs := machine.Resizes{{Nodes: 1, Shrink: 3, Expand: 3}}
	out, err := families.Run(t.Context(), w, []families.Family{{Policy: policy.Dynamic{}}, {Policy: policy.Dynamic{}, Costs: costs}},
		withDefaults(families.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	work := 0.0
	for _, j := range w.Jobs {
		work += j.Work
	}
	for _, o := range out {
		if want := work / (2 * (lone + 8./2)); math.Abs(o.Utilization-want) > 1e-9 {
			t.Errorf("%s: utilization %v, want %v", o.Label(), o.Utilization, want)
		}
	}
	if got := out[0].MeanSlowdown.Mean; got != 1 {
		t.Errorf("mean slowdown of jobs that never run longer than on the node they ask for: %v", got)
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	w := systemJobs(t, 200)
	all := families.Standard(w, nil)
	for name, bad := range map[string]func() (*families.Workload, []families.Family, families.Options){
		"few jobs": func() (*families.Workload, []families.Family, families.Options) {
			return &families.Workload{Nodes: 8, Jobs: w.Jobs[:20]}, all, families.Options{}
		},
		"nodes": func() (*families.Workload, []families.Family, families.Options) {
			return &families.Workload{Nodes: 2, Unit: 1, Jobs: w.Jobs}, all, families.Options{}
		},
	} {
		w, all, o := bad()
		if _, err := families.Run(context.Background(), w, all, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := families.Run(ctx, w, all, families.Options{}); err != context.Canceled {
		t.Errorf("canceled: error %v", err)
	}
}

// Programs that would take days are refused before any family runs; families without programs run, whatever their length.
func TestProgramsThatTakeDaysAreRefused(t *testing.T) {
	w := systemJobs(t, 200)
	all := families.Standard(w, nil)
	o := families.Options{Types: cluster.Mixes()[0].Types, Cluster: cluster.Defaults(policy.Gang{}), Dedicated: 1e6}
	if _, err := families.Run(t.Context(), w, all, o); !parallel.IsShortOf(err, parallel.Time) {
		t.Errorf("a mean run time of 10⁶ s: %v", err)
	}
	easy := families.Family{Policy: policy.EASY{}}
	if _, err := families.Run(t.Context(), w, []families.Family{easy}, o); err != nil {
		t.Errorf("no programs: %v", err)
	}
}

// TestAffordable: few jobs keep the wanted time, many get a shorter one, and too many are refused.
func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		jobs   int
		failed bool
	}{{10, false}, {20_000, false}, {200_000, true}} {
		w := &families.Workload{Nodes: 4, Jobs: make([]workload.Job, c.jobs)}
		for i := range w.Jobs {
			w.Jobs[i] = workload.Job{Nodes: 4, Run: 1, Work: 4}
		}
		seconds, most, err := w.Affordable(2)
		if (err != nil) != c.failed || parallel.IsShortOf(err, parallel.Time) != c.failed || (seconds < 2) != (c.jobs > 10) || most != 30_000 {
			t.Errorf("%d jobs: %v s, at most %d, %v", c.jobs, seconds, most, err)
		}
	}
}
