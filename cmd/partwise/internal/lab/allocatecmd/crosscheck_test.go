package allocatecmd_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/allocatecmd"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

func downeyChains(t testing.TB, load float64) allocatecmd.Workload {
	t.Helper()
	w := allocatecmd.Downey(64, load)
	return w
}

// scalable is a workload all jobs of which speed up linearly to the size of the machine.
func scalable(t testing.TB, load float64) allocatecmd.Workload {
	t.Helper()
	w := downeyChains(t, load)
	w.Parallelism = allocatecmd.NewUniformLog(1e6, 1e6)
	w.SigmaMin, w.SigmaMax = 0, 0
	return w
}

// TestFitOfRunTimes compares the moments of the run times with those of 400,000 jobs, and the fit with the run times.
func TestFitOfRunTimes(t *testing.T) {
	w := downeyChains(t, 0.5)
	var jobs []workload.Job
	for day := 0; len(jobs) < 400_000; day++ {
		jobs = w.Day(des.Seed(4).At(uint64(day)), jobs)
	}
	for _, nodes := range []float64{8, 64. / 3, 64} {
		r, err := allocatecmd.Fit(t.Context(), w, nodes, 5)
		if err != nil {
			t.Fatal(err)
		}
		var m1, m2 float64
		for i := range jobs {
			x := jobs[i].Work / jobs[i].Speedup.At(nodes)
			m1, m2 = m1+x, m2+x*x
		}
		n := float64(len(jobs))
		m1, m2 = m1/n, m2/n
		// Five standard errors of the mean; the scv of so many jobs scatters by about 3 %.
		if math.Abs(r.Mean-m1) > 5*math.Sqrt((m2-m1*m1)/n) || math.Abs(r.SCV/(m2/(m1*m1)-1)-1) > 0.1 {
			t.Errorf("%.4g nodes: mean %v, scv %v; of jobs %v, %v", nodes, r.Mean, r.SCV, m1, m2/(m1*m1)-1)
		}
		if math.Abs(r.Dist.Mean()-r.Mean) > 1e-9*r.Mean {
			t.Errorf("%.4g nodes: the fit has mean %v, not %v", nodes, r.Dist.Mean(), r.Mean)
		}
		// What five phases reach, with room for a change of the fitting.
		if r.KS > 0.03 || math.Abs(r.Dist.SCV()/r.SCV-1) > 0.08 {
			t.Errorf("%.4g nodes: ks %v, scv %v of %v", nodes, r.KS, r.Dist.SCV(), r.SCV)
		}
		alpha, rates := r.Dist.Alpha(), r.Dist.T()
		for k := 1; k < len(alpha); k++ {
			if rates.At(k, k) > rates.At(k-1, k-1) {
				t.Errorf("%.4g nodes: phase %d is slower than the one before", nodes, k)
			}
		}
	}
}

// TestClassesOfTheFitItself: on the nodes of the fit the classes are those of the fit, for the means of its members are
// what makes a mixture of exponentials the most likely one. The grid of lifetimes is good for two per cent.
func TestClassesOfTheFitItself(t *testing.T) {
	w := downeyChains(t, 0.5)
	ref, err := allocatecmd.Fit(t.Context(), w, 8, 4)
	if err != nil {
		t.Fatal(err)
	}
	all, err := allocatecmd.Classes(w, ref, []float64{8, 64})
	if err != nil {
		t.Fatal(err)
	}
	for k := range ref.Dist.Alpha() {
		got, want := all[0].T().At(k, k), ref.Dist.T().At(k, k)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("class %d: rate %v, of the fit %v", k, -got, -want)
		}
		if all[1].T().At(k, k) > got {
			t.Errorf("class %d: slower on 64 nodes than on 8", k)
		}
	}
	if big, err := allocatecmd.Fit(t.Context(), w, 64, 4); err != nil || math.Abs(all[1].Mean()/big.Mean-1) > 1e-9 {
		t.Errorf("mean on 64 nodes %v, want %v, %v", all[1].Mean(), big.Mean, err)
	}
}

// TestScalableJobs: if all jobs speed up linearly and there is always a partition for one more, dynamic partitioning is
// processor sharing, whose mean response time E[L]/P/(1 − load) does not depend on the distribution. (At load .2 there
// are more than eight jobs with probability 5e-7.) One partition is the queue M/G/1. Simulation and chain must find
// both.
func TestScalableJobs(t *testing.T) {
	const load = 0.2
	w := scalable(t, load)
	o := allocatecmd.ChainOptions{MinNodes: 8, Phases: 4, Options: allocatecmd.Options{Seed: 1}}
	m, err := allocatecmd.NewMachine(context.Background(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	mean := w.Lifetimes.Mean() / 64
	// Pollaczek and Khinchin, with the variation of the lifetimes, or that of the fit.
	queue := func(scv float64) float64 { return mean + load*mean*(1+scv)/2/(1-load) }
	for _, x := range []struct {
		row         allocatecmd.ChainRow
		chain, jobs float64
		tolerance   float64
	}{
		{c.Rows[0], mean / (1 - load), mean / (1 - load), 1e-5},
		{c.Rows[1], queue(m.RunTimes[0].Dist.SCV()), queue(w.Lifetimes.SCV()), 1e-9},
	} {
		if math.Abs(x.row.Analytic/x.chain-1) > x.tolerance {
			t.Errorf("%s: chain %v, want %v", x.row.Policy, x.row.Analytic, x.chain)
		}
		if s := x.row.Simulated; math.Abs(s.Mean-x.jobs) > 4*s.StdErr || s.Relative() > 0.05 {
			t.Errorf("%s: simulation %v ± %v, want %v", x.row.Policy, s.Mean, s.StdErr, x.jobs)
		}
	}
}

// TestChainsAgreeWithJobs: with the run times of Downey's jobs chains and jobs agree within four standard errors and
// the few per cent by which a fit of five phases differs; and an unstable partitioning is known by its intensity.
func TestChainsAgreeWithJobs(t *testing.T) {
	avg := policy.Molding{Size: policy.AVG}
	o := allocatecmd.ChainOptions{MinNodes: 8, Options: allocatecmd.Options{Seed: 1}, Policies: []policy.Policy{avg}}
	fitted, err := allocatecmd.NewMachine(context.Background(), downeyChains(t, 0.1), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []float64{0.1, 0.25} {
		m, err := fitted.At(load)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Compare(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range c.Rows {
			names = append(names, r.Policy.String())
			switch {
			case r.Policy == avg:
				if r.Solved() || !(r.Simulated.Mean > 0) {
					t.Errorf("load %v: %+v", load, r)
				}
			case !r.Stable:
				if !(r.Intensity >= 1) || r.Solved() || r.Simulated.Mean != 0 {
					t.Errorf("load %v: %+v", load, r)
				}
			case math.Abs(r.Simulated.Mean-r.Analytic) > 4*r.Simulated.StdErr+0.05*r.Analytic:
				t.Errorf("load %v: %s %v by the chain, %v ± %v by the jobs", load, r.Policy, r.Analytic, r.Simulated.Mean,
					r.Simulated.StdErr)
			}
		}
		want := []string{"dynamic", "static:1", "static:2", "static:4", "static:8", "avg"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
	}
}

// TestAnotherLoad: a machine taken to another load is the machine fitted there; and nothing depends on the workers.
func TestAnotherLoad(t *testing.T) {
	ctx := context.Background()
	o := allocatecmd.ChainOptions{MinNodes: 16, Phases: 2, Replications: 5, Jobs: 500, Options: allocatecmd.Options{Workers: 1}}
	at := func(fitted, load float64, workers int) allocatecmd.Comparison {
		o.Workers = workers
		m, err := allocatecmd.NewMachine(ctx, downeyChains(t, fitted), o)
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.At(load); err != nil {
			t.Fatal(err)
		}
		c, err := m.Compare(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := at(0.2, 0.2, 1)
	if got := at(0.2, 0.2, 4); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v with four workers, %+v with one", got, want)
	}
	for i, r := range at(0.7, 0.2, 2).Rows { // rates are scaled, which rounds
		if math.Abs(r.Analytic-want.Rows[i].Analytic) > 1e-9*r.Analytic || r.Simulated != want.Rows[i].Simulated {
			t.Errorf("%+v, want %+v", r, want.Rows[i])
		}
	}
}

// TestPhases: of many partitions only a few phases can be afforded; those of the classes may be asked for.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		minNodes, asked int
		static          []int // for K = 1, 2, 4, …
		classes         int
	}{
		{16, 0, []int{5, 5, 5}, 5},
		{2, 0, []int{5, 5, 5, 5, 4, 3}, 3},
		{16, 2, []int{5, 5, 5}, 2},
	} {
		m, err := allocatecmd.NewMachine(context.Background(), downeyChains(t, 0.5), allocatecmd.ChainOptions{MinNodes: c.minNodes,
			Phases: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		var static []int
		for _, r := range m.RunTimes {
			static = append(static, r.Dist.Phases())
		}
		if diff := cmp.Diff(c.static, static); diff != "" {
			t.Errorf("%d nodes: %s", c.minNodes, diff)
		}
		for i, b := range m.Dynamic.Service {
			if b.Phases() != c.classes {
				t.Errorf("%d nodes: B_%d has %d phases", c.minNodes, i+1, b.Phases())
			}
		}
	}
}

func TestChainRefusals(t *testing.T) {
	ctx := context.Background()
	m, err := allocatecmd.NewMachine(ctx, downeyChains(t, 0.2), allocatecmd.ChainOptions{MinNodes: 32, Phases: 2})
	if err != nil {
		t.Fatal(err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := m.Compare(stop, allocatecmd.ChainOptions{MinNodes: 32}); err == nil {
		t.Error("an interrupted comparison is one")
	}
}
