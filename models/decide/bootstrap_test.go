package decide_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// synthetic writes a log of jobs that come in a Poisson process and have exponential works, and a model fitted to it: a
// queue M/M/2 under two partitions, of which everything is known.
func synthetic(t testing.TB, dir string, seed uint64, jobs int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 16))
	var log strings.Builder
	log.WriteString("; MaxProcs: 2\n")
	at := 0.0
	for i := range jobs {
		at += random.ExpFloat64() * meanGap
		fmt.Fprintf(&log, "%d %.0f 0 %.0f 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n", i+1, at, 1+random.ExpFloat64()*meanWork)
	}
	model := `version: 1
machine: {nodes: 2}
arrivals: {interarrival: {fit: {file: log.swf, swf: interarrival, phases: 1, resolution: 1s}}}
jobs: {demand: {fit: {file: log.swf, swf: work, phases: 1, resolution: 1s}}, speedup: linear}
`
	for name, text := range map[string]string{"log.swf": log.String(), "model.yaml": model} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.yaml")
}

const (
	meanGap  = 28800.0
	meanWork = 28800.0
)

var both = []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: 2}}

// run solves a model and bootstraps it.
func run(ctx context.Context, path string, samples, workers int) (*decide.Decision, *decide.BootstrapResult, error) {
	m, err := modelfile.Load(path)
	if err != nil {
		return nil, nil, err
	}
	d, err := decide.Solve(ctx, m.System, both, markov.Settings{}, 1)
	if err != nil {
		return nil, nil, err
	}
	again, err := m.Resampler(1)
	if err != nil {
		return nil, nil, err
	}
	draw := func(i int) (*models.System, error) {
		m, err := again(i)
		if err != nil {
			return nil, err
		}
		return m.System, nil
	}
	r, err := decide.Bootstrap(ctx, &d, draw, decide.BootstrapOptions{Samples: samples, Workers: workers})
	return &d, r, err
}

// The interval of the mean response time of two partitions holds the truth, T = w/(1 − ρ²) for M/M/2 with mean work w and
// load ρ = ½, for 93 to 97 % of 300 logs of a year: of 300 intervals 95 ± 1.3 % (one standard error) do if they are right.
func TestCoverage(t *testing.T) {
	needs.Study(t, "measures the coverage of intervals")
	const logs = 300
	rho := meanWork / meanGap / 2
	want := meanWork / (1 - rho*rho)
	var covered atomic.Int64
	dirs := make([]string, logs)
	for i := range dirs {
		dirs[i] = t.TempDir()
	}
	err := parallel.Each(t.Context(), logs, 0, func(i int) error {
		_, r, err := run(t.Context(), synthetic(t, dirs[i], uint64(i), 365*24*3600/meanGap), 200, 1)
		if err != nil {
			return err
		}
		for _, m := range r.Policies[1].Measures {
			if m.Name == measure.MeanResponseTime && m.Low <= want && want <= m.High {
				covered.Add(1)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	share := float64(covered.Load()) / logs
	t.Logf("covered %.3f", share)
	if share < 0.93 || share > 0.97 {
		t.Errorf("the intervals cover the truth for %.1f %% of the logs", 100*share)
	}
}

// The same seed gives the same result for any number of workers; with linear speedup and nothing to pay, dynamic
// partitioning wins always.
func TestDeterministic(t *testing.T) {
	needs.Concurrency(t)
	path := synthetic(t, t.TempDir(), 1, 1000)
	d, first, err := run(t.Context(), path, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := run(t.Context(), path, 20, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first.Policies, second.Policies) || first.Ratio != second.Ratio {
		t.Error("two runs of one seed differ")
	}
	if first.ProbabilityDynamic != 1 || !(first.Ratio.Low > 1 && first.Ratio.Low < d.Ratio && d.Ratio < first.Ratio.High) {
		t.Errorf("dynamic partitioning wins with probability %v, ratio %v in %v", first.ProbabilityDynamic, d.Ratio, first.Ratio)
	}
}
