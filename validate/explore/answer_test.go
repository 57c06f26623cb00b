package explore

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

const model = `
version: 1
title: Four nodes
time_unit: min
machine: {nodes: 4}
arrivals: {rate: 1, load: 0.6}
jobs: {demand: {moments: {mean: 60, scv: 4}}, speedup: {amdahl: {serial: 0.05}}}
dynamic: {shrink: {means: 0.5, scv: 2}, expand: {means: 0.5, scv: 2}}
`

// testWords are words that repeat what they are given.
var testWords = Words{
	Decision: func(_ *modelfile.Model, d *decide.Decision, _ bool) []string {
		return []string{fmt.Sprint(len(d.Results), " policies")}
	},
	Cooldown: func(cooldown float64, unit string, with, without *decide.Solved) string {
		return fmt.Sprintf("With a cooldown of %v %s %v against %v.", cooldown, unit, with.Policy, without.Policy)
	},
	Problem: func(err error) string { return err.Error() },
}

// ask asks a question and reads the answer into a value.
func ask[T any](t *testing.T, q Question) T {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var wrong failure
	var out T
	got := To(t.Context(), text, testWords)
	if err := json.Unmarshal(got, &wrong); err == nil && wrong.Error != "" {
		t.Fatalf("%s: %s", q.Kind, wrong.Error)
	}
	if err := json.Unmarshal(got, &out); err != nil {
		t.Fatalf("%s: %v in %s", q.Kind, err, got)
	}
	return out
}

// TestDecisionIsThatOfSolve: the answer has every measure of every policy as the library computes it. The model in the answer
// gives the same measures.
func TestDecisionIsThatOfSolve(t *testing.T) {
	sets := []modelfile.Set{{Path: "machine.nodes", Value: "6"}, {Path: "arrivals.load", Value: "0.7"},
		{Path: "dynamic.shrink", Value: "{means: 2, scv: 0.5}"}}
	d := ask[Decision](t, Question{Kind: "decision", Model: model, Sets: sets})
	file, err := modelfile.Parse("again.yaml", []byte(d.File))
	if err != nil {
		t.Fatal(err)
	}
	want, err := decide.Solve(t.Context(), file.System, policy.Candidates(file.System.Machine()), settings(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.Partitions != 6 || math.Abs(d.Load-0.7) > 1e-12 || d.TimeUnit != "min" || d.Best != want.Best.Partitions() ||
		math.Abs(d.Ratio-want.Ratio) > 1e-12 || len(d.Results) != len(want.Results) || len(d.Sentences) != 1 {
		t.Errorf("the decision is %+v", d)
	}
	for i, row := range d.Results {
		for name, got := range row.Measures {
			// Written and read, a service time may differ in its last digit.
			if v, ok := want.Results[i].Measures.Of(name); !ok || math.Abs(got-v) > 1e-11*math.Abs(v) {
				t.Errorf("%s under %s is %v, by solve %v", name, row.Policy, got, v)
			}
		}
	}
}

// TestCurveGoesThroughTheDecision: at the load of the model the curve is at the decision; beyond load 1 there is nothing.
func TestCurveGoesThroughTheDecision(t *testing.T) {
	d := ask[Decision](t, Question{Kind: "decision", Model: model})
	points := ask[[]point](t, Question{Kind: "curve", Model: model, Loads: []float64{0.6, 1.2}})
	if p := points[0]; math.Abs(p.Ratio-d.Ratio) > 1e-12 || p.Partitions != d.Best ||
		math.Abs(p.Repartitioned-d.Results[0].Measures["probability_repartition"]) > 1e-12 {
		t.Errorf("the curve has %+v, the decision %+v", p, d)
	}
	if points[1] != (point{Load: 1.2}) {
		t.Errorf("beyond load 1 the curve has %+v", points[1])
	}
}

func TestCooldown(t *testing.T) {
	c := ask[Cooldown](t, Question{Kind: "cooldown", Model: model, Cooldown: 5})
	if c.Result.Policy != "smoothing:5" || !c.Result.Stable || !strings.HasPrefix(c.Sentence, "With a cooldown of 5 min ") {
		t.Errorf("the cooldown: %+v", c)
	}
}

// TestSchedulesAreOfTheSameJobs: bars lie on the machine and within the stretch, and no node has two jobs at a time.
func TestSchedulesAreOfTheSameJobs(t *testing.T) {
	s := ask[schedules](t, Question{Kind: "schedule", Model: model, Policies: []string{"dynamic", "static:2", "smoothing:5"}})
	if len(s.Schedules) != 3 || s.To <= s.From {
		t.Fatalf("%d schedules from %v to %v", len(s.Schedules), s.From, s.To)
	}
	for _, one := range s.Schedules {
		busy := 0.0
		for _, b := range one.Bars {
			if b.First < 0 || b.First+b.Nodes > one.Nodes || b.From < s.From || b.To > s.To {
				t.Errorf("%s: a bar is off the chart: %+v", one.Policy, b)
			}
			busy += float64(b.Nodes) * (b.To - b.From)
		}
		if all := float64(one.Nodes) * (s.To - s.From); busy > all*(1+1e-9) || busy < 0.2*all {
			t.Errorf("%s: nodes are busy for %v of %v", one.Policy, busy, all)
		}
	}
}

// TestOverload: beyond load 1 nothing is stable, and there is no schedule to show.
func TestOverload(t *testing.T) {
	over := []modelfile.Set{{Path: "arrivals.load", Value: "1.2"}}
	if s := ask[schedules](t, Question{Kind: "schedule", Model: model, Sets: over}); len(s.Schedules) != 0 {
		t.Errorf("there are %d schedules", len(s.Schedules))
	}
	if d := ask[Decision](t, Question{Kind: "decision", Model: model, Sets: over}); d.Ratio != 0 || len(d.Sentences) == 0 {
		t.Errorf("the decision is %+v", d)
	}
}

// TestControls: the sliders of a page stand where the model is.
func TestControls(t *testing.T) {
	c := ask[Controls](t, Question{Kind: "controls", Model: model})
	if c.Seconds != 60 || c.MinNodes != 1 {
		t.Errorf("the controls are %+v", c)
	}
	want := []struct {
		key   string
		value float64
	}{{"units", 4}, {"load", 0.6}, {"job_nodes", math.NaN()}, {"work", 60}, {"work_scv", 4}, {"serial", 0.05}, {"arrival_scv", 1}, {"overhead", 0.5},
		{"overhead_scv", 2}, {"stops", 0}, {"cooldown", 0}}
	if len(c.Sliders) != len(want) {
		t.Fatalf("%d sliders, want %d", len(c.Sliders), len(want))
	}
	for i, w := range want {
		s := c.Sliders[i]
		if math.IsNaN(w.value) { // the model has no value
			if s.Key != w.key || s.Value != nil || s.Missing == "" {
				t.Errorf("slider %d is %+v, want %s without a value", i, s, w.key)
			}
			continue
		}
		if s.Key != w.key || s.Value == nil || math.Abs(*s.Value-w.value) > 1e-12 || s.Off != "" || s.Label == "" || len(s.Values) < 2 {
			t.Errorf("slider %d is %+v, want %s at %v", i, s, w.key, w.value)
		}
	}
}

// TestOneMoreSlider: a slider is one definition. It has a place among the controls, its setting changes the model, and the load
// of the model is kept if the definition says so.
func TestOneMoreSlider(t *testing.T) {
	smallest := definition{
		key: "min_nodes", group: "Machine", label: "Nodes of a partition", unit: number, rescales: true,
		about:  func(file *modelfile.Model) (ofModel, bool) { return at(float64(file.System.MinNodes)), true },
		values: always(linear(1, 2, 1)),
		settings: func(m *moves) []modelfile.Set {
			if !m.moved("min_nodes") {
				return nil
			}
			return set("machine.min_nodes", "%v", m.value("min_nodes"))
		},
	}
	table := append(slices.Clone(sliders), smallest)
	file, err := modelfile.Parse("model.yaml", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	all := newControls(table, file).Sliders
	if s := all[len(all)-1]; s.Key != "min_nodes" || *s.Value != 1 || !slices.Equal(s.Values, []float64{1, 2}) {
		t.Errorf("the slider is %+v", s)
	}
	load := file.System.Load()
	moved, err := modelfile.Parse("model.yaml", []byte(model), newMoves(table, file, map[string]float64{"min_nodes": 2}).settings()...)
	if err != nil {
		t.Fatal(err)
	}
	if moved.System.MinNodes != 2 || moved.System.Partitions() != 2 || math.Abs(moved.System.Load()-load) > 1e-12 {
		t.Errorf("%d nodes a partition at load %v, want 2 at %v", moved.System.MinNodes, moved.System.Load(), load)
	}
}

// TestSlidersThatDoNotMove: values that are the model's change nothing, nor does a key that no slider has.
func TestSlidersThatDoNotMove(t *testing.T) {
	file, err := modelfile.Parse("model.yaml", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]float64{"nonsense": 7}
	for _, s := range newControls(sliders, file).Sliders {
		if s.Value != nil { // the page gives no value for a slider without a value
			at[s.Key] = *s.Value
		}
	}
	if all := newMoves(sliders, file, at).settings(); len(all) > 0 {
		t.Errorf("the settings are %v", all)
	}
}

// TestRigidJobs: once jobs ask for nodes, the decision, the curve and the schedule have fcfs, as the command has.
func TestRigidJobs(t *testing.T) {
	values := map[string]float64{"job_nodes": 2}
	d := ask[Decision](t, Question{Kind: "decision", Model: model, Values: values})
	fcfs := d.Results[len(d.Results)-1]
	if fcfs.Policy != "fcfs" || !(d.Rigid > 1) || math.Abs(d.Rigid-fcfs.Measures["mean_response_time"]/d.Results[0].Measures["mean_response_time"]) > 1e-12 {
		t.Errorf("rigid jobs: ratio %v, %+v", d.Rigid, fcfs)
	}
	points := ask[[]point](t, Question{Kind: "curve", Model: model, Values: values, Loads: []float64{0.6, 0.99}})
	if p := points[0]; math.Abs(p.RigidRatio-d.Rigid) > 1e-12 || math.Abs(p.Rigid-fcfs.Measures["mean_response_time"]) > 1e-9 {
		t.Errorf("the curve has %+v", p)
	}
	if s := ask[schedules](t, Question{Kind: "schedule", Model: model, Values: values, Policies: []string{"dynamic", "fcfs"}}); len(s.Schedules) != 2 {
		t.Errorf("%d schedules", len(s.Schedules))
	}
	if d := ask[Decision](t, Question{Kind: "decision", Model: model}); d.Rigid != 0 || d.Results[len(d.Results)-1].Policy == "fcfs" {
		t.Errorf("rigid jobs that ask for no nodes: %+v", d)
	}
}

// TestWhoStops: the slider stands at the choice of the model file, and another choice gives another response time.
func TestWhoStops(t *testing.T) {
	all := ask[Decision](t, Question{Kind: "decision", Model: model})
	some := ask[Decision](t, Question{Kind: "decision", Model: model, Values: map[string]float64{"stops": 1}})
	if !strings.Contains(some.File, "stops: resized") || !(some.Ratio > all.Ratio) {
		t.Errorf("ratios %v and %v; %s", all.Ratio, some.Ratio, some.File)
	}
	ask[Decision](t, Question{Kind: "decision", Model: model, Values: map[string]float64{"stops": 1, "overhead": 0}})
}

// TestMistakesAreAnswers: what is wrong is said, of a setting by its field, and nothing panics.
func TestMistakesAreAnswers(t *testing.T) {
	for _, c := range []struct {
		q    string
		want string
	}{
		{`{`, "not understood"},
		{`{"kind": "oracle"}`, `unknown question \"oracle\"`},
		{`{"kind": "decision", "model": "version: 1"}`, "machine"},
		{`{"kind": "cooldown", "model": ` + quoted(model) + `, "cooldown": -1}`, "smoothing"},
		{`{"kind": "decision", "model": ` + quoted(model) + `, "sets": [{"path": "jobs.demand.scv", "value": "-1"}]}`, "jobs.demand"},
	} {
		if got := string(To(t.Context(), []byte(c.q), testWords)); !strings.HasPrefix(got, `{"error":`) || !strings.Contains(got, c.want) {
			t.Errorf("%s is answered by %s, want an error about %s", c.q, got, c.want)
		}
	}
}

// TestWithoutWords: without words answers have no sentences, and mistakes are the text of their error.
func TestWithoutWords(t *testing.T) {
	for kind, want := range map[string]string{"decision": `"sentences":null`, "cooldown": `"sentence":""`} {
		if got := string(To(t.Context(), []byte(`{"kind": "`+kind+`", "cooldown": 5, "model": `+quoted(model)+`}`),
			Words{})); !strings.Contains(got, want) {
			t.Errorf("%s: %s", kind, got)
		}
	}
	if got := string(To(t.Context(), []byte(`{"kind": "curve", "model": "version: 1"}`), Words{})); !strings.Contains(got, "machine") {
		t.Errorf("a mistake: %s", got)
	}
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // of a string
	return string(out)
}

// TestGrades: each grade has less detail than the grade before, keeps the load and the partitions, and says what it leaves out; the
// first is the model itself.
func TestGrades(t *testing.T) {
	const large = `
version: 1
machine: {nodes: 6}
arrivals: {interarrival: {erlang: {mean: 1, phases: 3}}, load: 0.6}
jobs: {demand: {erlang: {mean: 60, phases: 3}}, speedup: {amdahl: {serial: 0.05}}}
dynamic: {stops: resized, shrink: {means: 0.5, scv: 0.5}, expand: {means: 0.5, scv: 0.5}}
`
	exactly := ask[Decision](t, Question{Kind: "exact", Model: large})
	for g := range grades {
		d := ask[Decision](t, Question{Kind: "decision", Model: large, Grade: g})
		if d.Grade != g || (d.Approximate == "") != (g == 0) || d.Partitions != 6 || math.Abs(d.Load-0.6) > 1e-12 || d.File != exactly.File {
			t.Errorf("grade %d: %+v", g, d)
		}
		// The first two grades keep nearly all of this model except the distribution of short overheads; without the low variability of
		// run times and arrivals dynamic partitioning looks better by up to a fifth.
		if most := []float64{0, 0.01, 0.2}[g]; math.Abs(d.Ratio/exactly.Ratio-1) > most {
			t.Errorf("grade %d: ratio %v, exactly %v", g, d.Ratio, exactly.Ratio)
		}
	}
	// No grade but the last is solved in a nanosecond.
	if d := ask[Decision](t, Question{Kind: "decision", Model: large, Limit: 1e-6}); d.Grade != len(grades)-1 {
		t.Errorf("with no time the grade is %d", d.Grade)
	}
	text, err := json.Marshal(Question{Kind: "exact", Model: large, Limit: 1e-6})
	if got := string(To(t.Context(), text, testWords)); err != nil || !strings.Contains(got, "it takes longer than") {
		t.Errorf("with no time, exactly: %s, %v", got, err)
	}
}

// TestShareOfAClass: models with classes have a control for the share of the class that can use most nodes, and its setting
// changes the answer.
func TestShareOfAClass(t *testing.T) {
	const mixed = `
version: 1
machine: {nodes: 4}
arrivals: {rate: 1, load: 0.6}
jobs:
  classes:
    - {name: small, share: 3, max_nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear}
    - {name: large, share: 1, demand: {exponential: {mean: 8}}, speedup: linear}
`
	c := ask[Controls](t, Question{Kind: "controls", Model: mixed})
	at := slices.IndexFunc(c.Sliders, func(s slider) bool { return s.Key == "share" })
	if at < 0 || !strings.Contains(c.Sliders[at].Label, "large") || *c.Sliders[at].Value != 0.25 {
		t.Fatalf("the controls are %+v", c)
	}
	for _, s := range c.Sliders {
		if s.Key == "work" && (s.Value != nil || s.Off == "") {
			t.Errorf("the slider of run times is %+v", s)
		}
	}
	all := ask[Decision](t, Question{Kind: "decision", Model: mixed, Values: map[string]float64{"share": 1}})
	alone := ask[Decision](t, Question{Kind: "decision", Model: strings.Replace(mixed, "share: 3", "share: 0", 1)})
	if math.Abs(all.Ratio-alone.Ratio) > 1e-12 || all.Ratio == 0 {
		t.Errorf("ratio %v where all jobs are large, %v of a model of large jobs", all.Ratio, alone.Ratio)
	}
	const third = "    - {name: third, share: {of_all: 0.2}, max_nodes: 1, demand: {exponential: {mean: 1}}, speedup: linear}\n"
	c = ask[Controls](t, Question{Kind: "controls", Model: mixed + third})
	if at = slices.IndexFunc(c.Sliders, func(s slider) bool { return s.Key == "share" }); slices.Max(c.Sliders[at].Values) != 0.8 {
		t.Errorf("beside a share of 0.2 of all arrivals the slider has the values %v", c.Sliders[at].Values)
	}
	// The address of a page may ask for any share: the page ignores shares outside of the limits, and no model has them.
	if s := c.Sliders[at]; s.Least == nil || *s.Least != 0 || s.Most == nil || *s.Most != 0.8 {
		t.Errorf("the limits of addresses are %v and %v, want 0 and 0.8", s.Least, s.Most)
	}
	for _, beyond := range []float64{-0.01, 0.81, 1.5} {
		text, err := json.Marshal(Question{Kind: "decision", Model: mixed + third, Values: map[string]float64{"share": beyond}})
		if got := string(To(t.Context(), text, testWords)); err != nil || !strings.HasPrefix(got, `{"error":`) || !strings.Contains(got, "share") {
			t.Errorf("a share of %v is answered by %s, %v", beyond, got, err)
		}
	}
	c = ask[Controls](t, Question{Kind: "controls", Model: strings.Replace(mixed, "share: 3", "share: {of_all: 0.2}", 1)})
	if slices.ContainsFunc(c.Sliders, func(s slider) bool { return s.Key == "share" }) {
		t.Error("a class beside which no class has a weight has a slider for its share")
	}
	c = ask[Controls](t, Question{Kind: "controls", Model: model})
	if slices.ContainsFunc(c.Sliders, func(s slider) bool { return s.Key == "share" }) {
		t.Error("a model without classes has a slider for the share of a class")
	}
}

// TestPolicyWithoutChain: a policy that has no exact chain does not keep the others from an answer, at one load and over loads.
func TestPolicyWithoutChain(t *testing.T) {
	sets := []modelfile.Set{{Path: "dynamic.stops", Value: "resized"}, {Path: "jobs", Value: "{classes: [{name: small, share: 1, max_nodes: 2, " +
		"demand: {exponential: {mean: 9}}, speedup: linear}, {name: large, share: 1, demand: {exponential: {mean: 90}}, speedup: linear}]}"}}
	d := ask[Decision](t, Question{Kind: "decision", Model: model, Sets: sets})
	if len(d.Results) != 3 || d.Best == 0 {
		t.Errorf("%d results, the best split has %d partitions; want the 3 static splits", len(d.Results), d.Best)
	}
	for _, p := range ask[[]point](t, Question{Kind: "curve", Model: model, Sets: sets, Loads: []float64{0.3, 0.5}}) {
		if !(p.Static > 0) || p.Dynamic != 0 {
			t.Errorf("at load %v: dynamic %v, static %v", p.Load, p.Dynamic, p.Static)
		}
	}
}
