package epochs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/lab/internal/epochs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// reference is what an independent program found.
type reference struct {
	Overhead   map[string]map[string][2]float64
	Relative   map[string]map[string][2]float64
	ClosedForm map[string]float64 `json:"closed_form"`
}

func theReference(t *testing.T) (r reference) {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parsed returns policies of the table.
func parsed(t testing.TB, texts ...string) (all []policy.Policy) {
	t.Helper()
	for _, text := range texts {
		p, err := policy.Standard().Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// scanned reads a case as the reference names it.
func scanned(t *testing.T, name, format string) (c epochs.Case) {
	t.Helper()
	if _, err := fmt.Sscanf(name, format, &c.LoadFactor, &c.Jobs, &c.Nodes); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

// differs reports whether two estimates with half widths of 90 % intervals differ by more than chance explains: 1.645
// standard errors are such a half width, and with some 400 comparisons 4 of them are seldom exceeded by any.
func differs(a, halfA, b, halfB float64) bool {
	return math.Abs(a-b) > 4/1.645*math.Hypot(halfA, halfB)+5e-5 // the reference has four digits
}

// fewer returns how much of an experiment is done without -long: the part n of so many.
func fewer(all, n int) int {
	if needs.IsLong() {
		return all
	}
	return n
}

// TestOverheads: the mean overheads are those of the reference. Without -long it is a third of the cases.
func TestOverheads(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	all := theReference(t).Overhead
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%3 > 0 && !needs.IsLong() {
			continue
		}
		names := slices.Sorted(maps.Keys(all[name]))
		c := scanned(t, name, "L%g J%d N%d")
		got, err := overheads(t.Context(), c, parsed(t, names...), epochs.Options{Seed: 1, Draws: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for i, policy := range names {
			want := all[name][policy]
			if x := got[i].Of(epochs.NormalizedOverhead); differs(x.Mean, x.HalfWidth, want[0], want[1]) {
				t.Errorf("%s %s: %.4f ± %.4f, want %.4f ± %.4f", name, policy, x.Mean, x.HalfWidth, want[0], want[1])
			}
		}
	}
}

// TestRelativeResponses: the mean response times relative to OPT(1) are those of the reference, within 0.5 %, the
// cruder estimate from the jobs that ended is no other than that by Little's law, and so are those of the text for
// eight jobs. Without -long it is two of five cases.
func TestRelativeResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	all := theReference(t).Relative
	all["static L1 J8 N128"] = map[string][2]float64{"equi": {0.983}, "buddy": {0.935}, "heuristic:4": {1.103}}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%3 > 0 && !needs.IsLong() {
			continue // two of five cases, one of each application
		}
		application, size, _ := strings.Cut(name, " ")
		names := slices.Sorted(maps.Keys(all[name]))
		got, err := responses(t.Context(), scanned(t, size, "L%g J%d N%d"), epochs.Application(application),
			parsed(t, names...), epochs.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, policy := range names {
			r, want := got[i], all[name][policy]
			if math.Abs(r.Of(epochs.RelativeResponse).Mean/want[0]-1) > 0.005 {
				t.Errorf("%s %s: %.4f ± %.4f, want %.4f ± %.4f", name, policy, r.Of(epochs.RelativeResponse).Mean,
					r.Of(epochs.RelativeResponse).HalfWidth, want[0], want[1])
			}
			// 40,000 demands of squared coefficient of variation 3.7: a standard error of 1 %.
			if math.Abs(r.Completed/r.Of(measure.MeanResponseTime).Mean-1) > 0.03 {
				t.Errorf("%s %s: %.1f from the jobs that ended, %.1f by Little's law", name, policy, r.Completed, r.Of(measure.MeanResponseTime).Mean)
			}
		}
	}
}

// TestClosedForms: where all jobs need one node the schedule is always the same, and the mean response time is an
// integral, see the reference.
func TestClosedForms(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	for name, want := range theReference(t).ClosedForm {
		var c epochs.Case
		var application, rule string
		if _, err := fmt.Sscanf(name, "N%d J%d M=1 %s %s", &c.Nodes, &c.Jobs, &application, &rule); err != nil {
			t.Fatal(err)
		}
		c.LoadFactor = float64(c.Jobs) / float64(c.Nodes) // all jobs need a node
		if rule == "OPT" {
			rule = "OPT:1"
		}
		got, err := responses(t.Context(), c, epochs.Application(application),
			parsed(t, strings.ToLower(rule)), epochs.Options{Seed: 1, Jobs: fewer(2000, 500)})
		if err != nil {
			t.Fatal(err)
		}
		if x := got[0].Of(measure.MeanResponseTime); math.Abs(x.Mean-want) > 4/1.7*x.HalfWidth { // four standard errors, of 20 runs
			t.Errorf("%s: %.2f ± %.2f, want %.2f", name, x.Mean, x.HalfWidth, want)
		}
	}
}

// TestQuantum: as the quantum gets small the response times become those of jobs that progress together; the report's
// quantum changes little.
func TestQuantum(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	c := epochs.Case{Nodes: 128, Jobs: 8, LoadFactor: 1}
	mean := map[float64][]epochs.Result{}
	for _, quantum := range []float64{0, 1e-3, 10} {
		var err error
		mean[quantum], err = responses(t.Context(), c, epochs.Static, parsed(t, "buddy", "equi", "heuristic:4"),
			epochs.Options{Seed: 1, Jobs: 500, Quantum: quantum})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range mean[0] {
		if got := mean[1e-3][i]; math.Abs(got.Of(measure.MeanResponseTime).Mean/want.Of(measure.MeanResponseTime).Mean-1) > 1e-4 {
			t.Errorf("%s: %v with a small quantum, %v with none", want.Policy, got.Of(measure.MeanResponseTime).Mean, want.Of(measure.MeanResponseTime).Mean)
		}
		if got := mean[10][i]; math.Abs(got.Of(measure.MeanResponseTime).Mean/want.Of(measure.MeanResponseTime).Mean-1) > 0.1 {
			t.Errorf("%s: %v with a quantum of 10, %v with none", want.Policy, got.Of(measure.MeanResponseTime).Mean, want.Of(measure.MeanResponseTime).Mean)
		}
	}
}

// TestSameResults: they depend neither on the number of workers nor on what else is asked for.
func TestSameResults(t *testing.T) {
	needs.Concurrency(t)
	c := epochs.Case{Nodes: 32, Jobs: 5, LoadFactor: 1.5}
	table := func(workers int) []any {
		o := epochs.Options{Seed: 7, Workers: workers, Draws: 1200, Jobs: 100, Replications: 4}
		few, many := parsed(t, "equi"), parsed(t, "heuristic:2", "equi")
		a, err1 := overheads(t.Context(), c, few, o)
		b, err2 := overheads(t.Context(), c, many, o)
		d, err3 := responses(t.Context(), c, epochs.Dynamic, few, o)
		e, err4 := responses(t.Context(), c, epochs.Dynamic, many, o)
		f, err5 := opens(t.Context(), epochs.Point{c, epochs.Dynamic, 0.3}, few, o)
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			t.Fatal(err)
		}
		if a[0].Of(epochs.NormalizedOverhead) != b[1].Of(epochs.NormalizedOverhead) ||
			d[0].Of(measure.MeanResponseTime) != e[1].Of(measure.MeanResponseTime) || d[0].Of(epochs.RelativeResponse) != e[1].Of(epochs.RelativeResponse) {
			t.Error("another policy beside it changes the results of a policy")
		}
		return []any{a, b, d, e, f}
	}
	if one, three := table(1), table(3); !reflect.DeepEqual(one, three) {
		t.Errorf("with three workers\n%v\nwith one\n%v", three, one)
	}
}

// TestOpenSystems: one job at a time has the whole machine, whoever schedules it; under load, policies that bound the
// nodes of a job from below by its memory alone differ, and one that cannot keep up is seen to fall behind.
func TestOpenSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	c := epochs.Case{Nodes: 16, Jobs: 4, LoadFactor: 1}
	policies := []policy.Policy{policy.Dynamic{}}
	policies = append(policies, parsed(t, "buddy", "equi", "opt:1", "heuristic:2")...)
	got, err := opens(t.Context(), epochs.Point{c, epochs.Dynamic, 1e-6}, policies,
		epochs.Options{Seed: 1, Jobs: 300, Replications: fewer(20, 5)})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got {
		if math.Abs(o.Of(epochs.RelativeResponse).Mean-1) > 1e-3 {
			t.Errorf("%s: alone on the machine, %v times as slow as under dynamic", o.Policy, o.Of(epochs.RelativeResponse).Mean)
		}
		if o.Growth < 0.8 || o.Growth > 1.2 {
			t.Errorf("%s: jobs grow by %v where there is next to no load", o.Policy, o.Growth)
		}
	}
	policies = append(policies, policy.EASY{})
	heavy, err := opens(t.Context(), epochs.Point{c, epochs.Dynamic, 2}, policies,
		epochs.Options{Seed: 1, Jobs: 150, Replications: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range heavy {
		if o.Growth < 2 { // 3, but for what short runs have of their beginning
			t.Errorf("%s: with twice the load that the machine can do, jobs grow by %v", o.Policy, o.Growth)
		}
	}
	if !(heavy[0].Of(measure.MeanSlowdown).Mean > 1) {
		t.Errorf("measures %v", heavy[0])
	}
}

// TestMistakes: what cannot be done is said before it is begun, and, with -long, a search that takes too long by its own
// error.
func TestMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	some := parsed(t, "equi")
	for want, f := range map[string]func() error{
		"epochs: buddy: sched: buddy needs a number of nodes that is a power of two, not 24": func() error {
			_, err := overheads(t.Context(), epochs.Case{24, 4, 1}, parsed(t, "buddy"), epochs.Options{})
			return err
		},
	} {
		if err := f(); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for c, want := range map[epochs.Case]string{
		{32, 40, 1}: "epochs: 40 jobs with the load factor 1 need less than a node each on 32 nodes",
	} {
		if err := c.Check(); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := overheads(ctx, epochs.Case{8, 4, 1}, some, epochs.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if !needs.IsLong() {
		return
	}
	var limit *parallel.LimitError
	if _, err := overheads(t.Context(), epochs.Case{128, 32, 4}, parsed(t, "opt:16"), epochs.Options{Seed: 1, Draws: 500}); !errors.As(err, &limit) {
		t.Errorf("a search that takes too long: %v", err)
	}
}

// A policy without K gets every varied K, as one series; a policy with a K of its own keeps it.
func TestChoices(t *testing.T) {
	chosen, err := epochs.Choices(policy.Standard(), []string{"equi", "hybrid", "opt:1"}, []int{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range chosen {
		names = append(names, fmt.Sprintf("%s %s %d", c.Policy, c.Series, c.K))
	}
	want := []string{"equi equi -1", "hybrid:0 hybrid 0", "hybrid:2 hybrid 2", "opt:1 opt:1 -1"}
	if !slices.Equal(names, want) || !slices.Equal(epochs.SeriesOf(chosen), []string{"equi", "hybrid", "opt:1"}) {
		t.Errorf("choices %q, want %q", names, want)
	}
}
