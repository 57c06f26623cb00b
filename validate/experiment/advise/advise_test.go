package advise_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/swf"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/experiment/advise"
	"github.com/partwise/partwise/validate/machine"
	"github.com/partwise/partwise/validate/replay"
)

var (
	long     = flag.Bool("long", false, "compare advice with searches of large grids, a minute or more for each model")
	searches = flag.Int("models", 20, "the number of models to compare on, with -long")
)

// machineOf returns a system of nodes that are units, with exponential demands of mean 1, repartitions that take a
// constant share of that, and a load.
func machineOf(t testing.TB, nodes int, cost, load float64, stops string) *models.System {
	t.Helper()
	list := strings.TrimSuffix(strings.Repeat(fmt.Sprint(cost)+",", nodes-1), ",")
	text := fmt.Sprintf(`version: 1
machine: {nodes: %d}
arrivals: {interarrival: {exponential: {mean: 1}}, load: %g}
jobs: {demand: {exponential: {mean: 1}}, speedup: {power: {exponent: 0.7}}}
dynamic: {stops: %s, shrink: {means: [null, %s]}, expand: {means: [%s]}}
`, nodes, load, stops, list, list)
	if cost == 0 {
		text = text[:strings.Index(text, "dynamic:")] + "dynamic: {stops: " + stops + "}\n"
	}
	m, err := modelfile.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m.System
}

// advised returns the advice on a small grid of cooldowns, which are told in mean times between arrivals, and hysteresis.
func advised(t *testing.T, q advise.Problem, o advise.Options) *advise.Advice {
	t.Helper()
	over := []advise.Parameter{{Name: "cooldown", Values: []float64{0, 2 * q.Gap}}, {Name: "hysteresis", Values: []float64{0, 2}}}
	o.MaxJobs = 400_000
	a, err := q.Advise(t.Context(), over, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// exact returns the mean response time of a policy by its chain; +Inf if it cannot keep up.
func exact(t *testing.T, sys *models.System, p policy.Policy) float64 {
	t.Helper()
	chain, err := sys.Chain(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := chain.Solve(t.Context(), markov.Settings{Method: markov.Auto})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Stable {
		return math.Inf(1)
	}
	return m.MeanResponseTime
}

// With free resizes and exponential demands equi-partitioning is optimal (Berg, Dorsman, Harchol-Balter 2018): no rule is
// better, and the value is that of the exact chain.
func TestFreeResizesNeedNoRule(t *testing.T) {
	sys := machineOf(t, 4, 0, 0.6, "all")
	a := advised(t, advise.OfSystem(sys, validate.Options{}, 1), advise.Options{Seed: 1})
	dynamic := exact(t, sys, policy.Dynamic{})
	if a.Value.Mean < dynamic-2*a.Value.HalfWidth || a.Value.Mean > 1.01*dynamic+2*a.Value.HalfWidth {
		t.Errorf("%v has the mean response time %v ± %v, dynamic %v", a.Rule, a.Value.Mean, a.Value.HalfWidth, dynamic)
	}
	for _, f := range a.Flat {
		for i, w := range f.Worse {
			if w.High < -0.011 { // the indifference
				t.Errorf("%s = %v is better than the rule %v by %v ± %v", f.Name, f.Values[i], a.Rule, w.Mean, w.HalfWidth)
			}
		}
	}
}

// With resizes that take longer than jobs nobody should be resized: the rule is the best static split, exactly.
func TestCostsBeyondAllNeedStaticPartitions(t *testing.T) {
	sys := machineOf(t, 4, 50, 0.6, "all")
	a := advised(t, advise.OfSystem(sys, validate.Options{}, 1), advise.Options{Seed: 2})
	best := math.Inf(1)
	for _, k := range []int{1, 2, 4} {
		best = min(best, exact(t, sys, policy.Static{Partitions: k}))
	}
	if a.Rule.Floor == 0 || a.Rule.Floor != a.Rule.Cap {
		t.Errorf("the rule is %v", a.Rule)
	}
	if math.Abs(a.Value.Mean-best) > 2*a.Value.HalfWidth {
		t.Errorf("the value %v ± %v, exactly %v", a.Value.Mean, a.Value.HalfWidth, best)
	}
}

// The rule is no worse than dynamic, than the best static split and than any other of the grid, and the same for any
// number of workers.
func TestAdviceIsNoWorseAndTheSame(t *testing.T) {
	sys := machineOf(t, 6, 0.1, 0.6, "resized")
	q := advise.OfSystem(sys, validate.Options{}, 1)
	o := advise.Options{Seed: 3, Workers: 1}
	a := advised(t, q, o)
	for _, g := range a.Gains {
		if g.Share.Mean < 0 {
			t.Errorf("%v is better than the rule %v by %v", g.Over, a.Rule, g.Share.Mean)
		}
	}
	for _, f := range a.Flat {
		for i, w := range f.Worse {
			if w.High < -0.01 {
				t.Errorf("%s = %v is better than the rule %v by %v ± %v", f.Name, f.Values[i], a.Rule, w.Mean, w.HalfWidth)
			}
		}
	}
	o.Workers = 3
	if b := advised(t, q, o); !reflect.DeepEqual(a, b) {
		t.Error("another number of workers, another advice")
	}
}

// logged are rigid jobs that come one after the other.
func logged(n int) []swf.Job {
	var log bytes.Buffer
	for i := range n {
		run := 20 + 37*(i%7)*(i%3)
		fmt.Fprintf(&log, "%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 1 -1 -1\n", i+1, 40*i, run, 1+i%5, 1+i%5, 2*run)
	}
	r, err := swf.NewReader(&log, "test")
	if err != nil {
		panic(err)
	}
	jobs, err := swf.All(r)
	if err != nil {
		panic(err)
	}
	return jobs
}

// On a log the values are those of a replay, EASY is among what the rule is compared with, and nothing is sure.
func TestAdviceOnALog(t *testing.T) {
	assume := replay.Assumptions{Speedup: workload.Amdahl{Serial: 0.1}, Cost: replay.Cost{Seconds: 10}}
	q, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, logged(640), assume)
	if err != nil {
		t.Fatal(err)
	}
	for _, objective := range advise.Objectives() {
		a := advised(t, q, advise.Options{Objective: objective})
		if n := len(a.Gains); n != 3 || a.Gains[2].Over != policy.Policy(policy.EASY{}) || a.Selection.Sure {
			t.Errorf("%s: gains %+v, sure %v", objective, a.Gains, a.Selection.Sure)
		}
		for _, e := range a.Selection.Candidates {
			if e.Value < a.Value.Mean*(1-1e-12) {
				t.Errorf("%s: %v has %v, the rule %v only %v", objective, e.Policy, e.Value, a.Rule, a.Value.Mean)
			}
		}
		if objective != advise.Mean {
			continue
		}
		c, err := q.Config(a.Rule)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		c.Done = func(r *machine.Record) { sum += r.Response() }
		if _, err := machine.Run(t.Context(), c, des.Seed(1)); err != nil || math.Abs(sum/640-a.Value.Mean) > 1e-9*a.Value.Mean {
			t.Errorf("the mean response time is %v, in a replay %v, %v", a.Value.Mean, sum/640, err)
		}
	}
	if _, err := advise.OfLog(policy.Machine{Nodes: 8, Unit: 1}, logged(10), replay.Usual()); err == nil {
		t.Error("ten jobs are enough")
	}
}

// TestStepsByHand: a machine of four units of two nodes.
func TestStepsByHand(t *testing.T) {
	m := policy.Machine{Nodes: 8, Unit: 2}
	want := []advise.Step{
		{Jobs: 1, Shares: 1, Least: 8, Most: 8, More: 2},
		{Jobs: 2, Shares: 2, Least: 4, Most: 4, More: 4, Fewer: 1},
		{Jobs: 3, Shares: 3, Least: 2, Most: 4, More: 6, Fewer: 1},
		{Jobs: 4, Shares: 4, Least: 2, Most: 2, Fewer: 2},
		{Jobs: 5, Shares: 4, Least: 2, Most: 2, Waiting: 1, Fewer: 2},
	}
	if got := advise.Steps(policy.Resize{Hysteresis: 2}, m); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, s := range advise.Steps(policy.Resize{Floor: 2, Cap: 2}, m) {
		if s.Shares != 2 || s.More != 0 || s.Fewer != 0 {
			t.Errorf("static partitions are divided anew: %+v", s)
		}
	}
	if s := advise.Steps(policy.Resize{Batch: 3}, m); s[0].More != 4 || s[3].Fewer != 1 {
		t.Errorf("after three changes: %+v", s)
	}
}

// fields are what the custom resources of the systems define, as far as the files use it, from the published types of
// Kubeflow Trainer (trainer.kubeflow.org/v1alpha1), Kueue (kueue.x-k8s.io/v1beta1), Volcano and Kubernetes; "*" stands for
// what belongs to pods.
var fields = map[string][]string{
	"trainer.kubeflow.org/v1alpha1 ClusterTrainingRuntime": {"spec.mlPolicy.torch.elasticPolicy.minNodes",
		"spec.mlPolicy.torch.elasticPolicy.maxNodes", "spec.template.spec.replicatedJobs.*"},
	"kueue.x-k8s.io/v1beta1 ResourceFlavor": {},
	"kueue.x-k8s.io/v1beta1 ClusterQueue": {"spec.namespaceSelector.*", "spec.resourceGroups.coveredResources.*",
		"spec.resourceGroups.flavors.name", "spec.resourceGroups.flavors.resources.name",
		"spec.resourceGroups.flavors.resources.nominalQuota"},
	"kueue.x-k8s.io/v1beta1 LocalQueue":   {"spec.clusterQueue"},
	"batch/v1 Job":                        {"spec.parallelism", "spec.suspend", "spec.template.spec.*"},
	"scheduling.volcano.sh/v1beta1 Queue": {"spec.weight", "spec.reclaimable", "spec.capability.*"},
	"batch.volcano.sh/v1alpha1 Job":       {"spec.schedulerName", "spec.queue", "spec.minAvailable", "spec.tasks.name", "spec.tasks.replicas", "spec.tasks.template.spec.*"},
}

// leaves calls see with the paths of all values, lists left out.
func leaves(v any, path string, see func(path string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			see(path, v)
		}
		for k, inner := range v {
			leaves(inner, strings.TrimPrefix(path+"."+k, "."), see)
		}
	case []any:
		for _, inner := range v {
			leaves(inner, path, see)
		}
	default:
		see(path, v)
	}
}

// The files are YAML with fields that the systems know and with the numbers of the rule, and lines of slurm.conf.
func TestFilesAreReadByTheSystems(t *testing.T) {
	for _, rule := range []policy.Resize{{Cooldown: 5.5, Cap: 8, Hysteresis: 1.5}, {Floor: 4, Cap: 4}, {Floor: 3, Departures: true},
		{Wait: 2, Batch: 3}, {}} {
		m := policy.Machine{Nodes: 64, Unit: 4}
		most, fewest := rule.Shares(99, 16), rule.Shares(1, 16)
		numbers := map[string]int{"minNodes": 16 / most * 4, "minAvailable": 16 / most * 4, "nominalQuota": 64, "pods": 64,
			"maxNodes": (16 + fewest - 1) / fewest * 4, "parallelism": (16 + fewest - 1) / fewest * 4,
			"replicas": (16 + fewest - 1) / fewest * 4}
		seen := 0
		for _, f := range advise.Files(rule, m, 1.0/60) {
			if !strings.Contains(f.Text, rule.String()) || strings.ContainsAny(strings.ReplaceAll(f.Text, "{}", ""), "{}") {
				t.Errorf("%s:\n%s", f.Name, f.Text)
			}
			if cooldown := fmt.Sprint(math.Round(rule.Cooldown * 60)); !strings.Contains(f.Text, cooldown) {
				t.Errorf("%s does not say the cooldown %s", f.Name, cooldown)
			}
			if f.Name == "slurm.conf" {
				checkSlurm(t, f.Text, numbers["minNodes"], numbers["maxNodes"])
				continue
			}
			for d := yaml.NewDecoder(strings.NewReader(f.Text)); ; {
				var doc map[string]any
				if err := d.Decode(&doc); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v\n%s", f.Name, err, f.Text)
				}
				kind := fmt.Sprint(doc["apiVersion"], " ", doc["kind"])
				known, ok := fields[kind]
				if !ok {
					t.Errorf("%s: there is no %s", f.Name, kind)
				}
				leaves(doc["spec"], "spec", func(path string, v any) {
					if v == nil {
						return
					}
					if !slices.ContainsFunc(known, func(k string) bool {
						all, wild := strings.CutSuffix(k, ".*")
						return k == path || wild && strings.HasPrefix(path+".", all+".")
					}) {
						t.Errorf("%s: a %s has no %s", f.Name, kind, path)
					}
					if want, ok := numbers[path[strings.LastIndex(path, ".")+1:]]; ok && !strings.Contains(path, "replicatedJobs") {
						seen++
						if v != want {
							t.Errorf("%s: %s is %v, want %d", f.Name, path, v, want)
						}
					}
				})
			}
		}
		if seen != 7 {
			t.Errorf("%d numbers of %v were looked at", seen, rule)
		}
	}
}

// checkSlurm reads a slurm.conf: comments, and lines of words KEY=VALUE that partitions know.
func checkSlurm(t *testing.T, text string, least, most int) {
	t.Helper()
	known := []string{"PartitionName", "Nodes", "MinNodes", "MaxNodes", "OverSubscribe", "Default", "State"}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		values := map[string]string{}
		for _, word := range strings.Fields(line) {
			key, value, ok := strings.Cut(word, "=")
			if !ok || !slices.Contains(known, key) {
				t.Errorf("slurm.conf: %s", word)
			}
			values[key] = value
		}
		if values["MinNodes"] != fmt.Sprint(least) || values["MaxNodes"] != fmt.Sprint(most) {
			t.Errorf("slurm.conf: %s", line)
		}
	}
}

func TestWrongQuestions(t *testing.T) {
	q := advise.OfSystem(machineOf(t, 4, 0.1, 0.6, "all"), validate.Options{}, 1)
	for what, ask := range map[string]func() error{
		"a grid of a million": func() error {
			many := advise.Parameter{Name: "cooldown"}
			for i := range 10_000 {
				many.Values = append(many.Values, float64(i))
			}
			_, err := q.Grid([]advise.Parameter{many})
			return err
		},
		"a cap above the machine": func() error {
			_, err := q.Grid([]advise.Parameter{{Name: "cap", Values: []float64{5}}})
			return err
		},
		"no parameter": func() error {
			_, err := q.Grid([]advise.Parameter{{Name: "magic", Values: []float64{5}}})
			return err
		},
		"no objective": func() error {
			_, err := q.Select(t.Context(), q.Candidates(nil), advise.Options{Objective: "x"})
			return err
		},
		"no probability": func() error {
			_, err := q.Select(t.Context(), q.Candidates(nil), advise.Options{Probability: 2})
			return err
		},
		"no candidates": func() error { _, err := q.Select(t.Context(), nil, advise.Options{}); return err },
	} {
		if ask() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
