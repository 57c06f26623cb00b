package logmodel_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/logmodel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/machine"
)

var (
	long  = flag.Bool("long", false, "fit and simulate the models of five logs, some minutes")
	which = flag.String("log", "", "only the log of this name")
)

// site is a machine with a log, divided in units.
type site struct {
	name, file  string
	nodes, unit int
}

var sites = []site{
	{"KTH", "KTH-SP2-1996-2.merged.swf.gz", 100, 10},
	{"SDSC", "SDSC-SP2-1998-4.reconstructed.swf.gz", 128, 8},
	{"CTC", "CTC-SP2-cln.reconstructed.swf.gz", 512, 32},
	{"LANL", "LANL-CM5-1994-4.1-cln.swf.gz", 1024, 64},
	{"NASA", "NASA-iPSC-1993-3.1-cln.swf.gz", 128, 8},
}

// jobs reads the jobs of the log, malleable and of linear speedup; it skips the test where the log is not.
func (s site) jobs(t *testing.T) []workload.Job {
	t.Helper()
	f, err := os.Open("../../../../../shared/traces/" + s.file)
	if err != nil {
		t.Skip("the job log is not here: ", err)
	}
	defer f.Close()
	log, err := joblog.Read(f, s.file, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := workload.OnMachine(log.Jobs, s.nodes, workload.WithSpeedup(workload.Malleable, workload.Linear{}))
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// policies are dynamic partitioning, then into the divisors of the number of units from a quarter of it on: fewer
// partitions are worse on all of these logs.
func (s site) policies() []policy.Policy {
	all := []policy.Policy{policy.Dynamic{}}
	n := s.nodes / s.unit
	for k := 2; k <= n; k++ {
		if n%k == 0 && 4*k >= n {
			all = append(all, policy.Static{Partitions: k})
		}
	}
	return all
}

// replay returns the mean response times under the policies, at no cost.
func (s site) replay(ctx context.Context, jobs []workload.Job) ([]float64, error) {
	var means []float64
	for _, p := range s.policies() {
		o, err := machine.Run(ctx, machine.Config{Nodes: s.nodes, Unit: s.unit, Policy: p, Jobs: machine.List(jobs)},
			des.Seed(1))
		if err != nil {
			return nil, err
		}
		means = append(means, o.Tally[des.ResponseSum]/o.Tally[des.Departed])
	}
	return means, nil
}

// loads are those at which drawn logs are compared with the log, besides its own.
var loads = []float64{0.5, 0.7, 0.85}

// best returns the position of the least static mean.
func best(means []float64) int {
	k := 1
	for i := range means[1:] {
		if means[1+i] < means[k] {
			k = 1 + i
		}
	}
	return k
}

// TestFiveLogs prints how well models of five logs, chosen by held-back halves, reproduce replays of the logs at several
// loads: testdata/studies/drawn-logs.csv. Chosen structures (classes, phases), their errors, the root mean square of the logarithms on
// the other half of the log, and the errors of one cyclic arrival process of three phases for all jobs:
//
//	KTH 6, 2: 0.17, 0.38; SDSC 6, 2: 0.36, 0.56; CTC 1, 1 with batches: 0.12, 0.34; LANL 4, 3: 0.28, 1.04; NASA 4, 3: 0.35, 1.17
//
// Without batches the best structure of the CTC has an error of 0.15, and at the load of the log its mean under dynamic partitioning
// is 31 % too low, in place of 13 %. Batches are not chosen for the KTH and the NASA; on the SDSC and the LANL they were not tried.
func TestFiveLogs(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: -long")
	}
	for _, s := range sites {
		if *which != "" && *which != s.name {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			jobs := s.jobs(t)
			choices, err := logmodel.Choose(t.Context(), jobs, 3600, logmodel.Candidates(), 4, s.replay, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range choices {
				t.Logf("%v %v: error %.3f", c.Structure, c.Structure.Shares, c.Error)
			}
			own := logmodel.WorkRate(jobs) / float64(s.nodes)
			for _, structure := range bestOfEach(choices) {
				m, err := logmodel.Fit(t.Context(), jobs, 3600, structure, 0)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v: slow %+v", structure, m.Slow)
				for _, load := range append([]float64{own}, loads...) {
					logmodel.Stretch(jobs, load*float64(s.nodes))
					came, err := s.replay(t.Context(), jobs)
					if err != nil {
						t.Fatal(err)
					}
					predicted, err := m.Expect(t.Context(), load*float64(s.nodes), 24, s.replay, des.Seed(1), 0)
					if err != nil {
						t.Fatal(err)
					}
					t.Log(s.row(load, came, predicted))
				}
				logmodel.Stretch(jobs, own*float64(s.nodes))
			}
		})
	}
}

// bestOfEach returns the chosen structure, and the best one of those with batches if it has none, or without.
func bestOfEach(choices []logmodel.Choice) []logmodel.Structure {
	all := []logmodel.Structure{choices[0].Structure}
	for _, c := range choices[1:] {
		if (c.Structure.Batch > 0) != (all[0].Batch > 0) {
			return append(all, c.Structure)
		}
	}
	return all
}

// row lays out what came and what was predicted, and says what misses 25 % of a mean, 15 % of a ratio or the best split.
func (s site) row(load float64, came, predicted []float64) string {
	k, f := best(came), best(predicted)
	off := func(x, y float64) string { return fmt.Sprintf("%+.0f %%", 100*(x/y-1)) }
	ratio := (predicted[f] / predicted[0]) / (came[k] / came[0])
	var wrong []string
	for _, c := range []struct {
		name string
		bad  bool
	}{
		{"dynamic", predicted[0] > 1.25*came[0] || predicted[0] < 0.75*came[0]},
		{"static", predicted[f] > 1.25*came[k] || predicted[f] < 0.75*came[k]},
		{"ratio", ratio > 1.15 || ratio < 0.85},
		{"split", came[f] > 1.03*came[k]},
	} {
		if c.bad {
			wrong = append(wrong, c.name)
		}
	}
	return fmt.Sprintf("%.3f | log %.0f %.0f (%v) %.2f | model %.0f (%s) %.0f (%v, %s) %.2f (%+.0f %%) | %s",
		load, came[0], came[k], s.policies()[k], came[k]/came[0], predicted[0], off(predicted[0], came[0]), predicted[f],
		s.policies()[f], off(predicted[f], came[k]), predicted[f]/predicted[0], 100*(ratio-1), strings.Join(wrong, ", "))
}
