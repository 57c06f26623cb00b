package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/explore"
)

// askedModels are models that leave different things open.
var askedModels = map[string]string{
	"measured": `machine: {nodes: 4, min_nodes: 1}
arrivals: {interarrival: {exponential: {mean: 1}}, load: 0.6}
jobs:
  service: [{moments: {mean: 60, scv: 0.5}}, {moments: {mean: 110, scv: 0.5}}, {moments: {mean: 165, scv: 0.5}}, {moments: {mean: 215, scv: 0.5}}]
dynamic: {shrink: {means: [null, 5, 6, 7], scv: 1}, expand: {means: [6, 5, 4], scv: 1}}
`,
	"nothing said": `machine: {nodes: 8}
arrivals: {rate: 0.01}
jobs: {demand: {hyperexponential: {mean: 300, scv: 2}}, speedup: {amdahl: {serial: 0.02}}}
`,
	"bursts": `time_unit: min
machine: {nodes: 12, min_nodes: 3}
arrivals: {mmpp: {Q: [[-0.02, 0.02], [0.02, -0.02]], rates: [0.5, 2]}, load: 70%}
jobs: {demand: {moments: {mean: 2h, scv: 2}}, speedup: linear}
dynamic: {overhead: 60s}
`,
}

// changes are the flags that all commands about a model take, with the models they fit.
var changes = []struct {
	flags []string
	but   string // a model that they do not fit
}{
	{flags: nil},
	{flags: []string{"--load", "0.5"}},
	{flags: []string{"--set", "machine.nodes=24"}, but: "measured"},
	{flags: []string{"--set", "dynamic.stops=resized"}},
	{flags: []string{"--set", "dynamic.overhead=20s"}},
	{flags: []string{"--set", "dynamic.overhead=20s", "--set", "dynamic.stops=resized", "--load", "40%"}},
}

// sameModel asks commands about a model, with the same flags.
type sameModel struct {
	*testing.T
	file    string
	flags   []string
	load    string // that all flags together make
	dynamic float64
	static  float64 // of the best number of partitions

	partitions int
}

// ask runs a command about the model, with the flags, and returns what it prints.
func (s *sameModel) ask(command string, more ...string) []byte {
	s.Helper()
	return s.run(slices.Concat(strings.Fields(command), []string{s.file}, more, s.flags)...)
}

// run runs a command, which must end well, and returns what it prints.
func (s *sameModel) run(line ...string) []byte {
	s.Helper()
	c := runIn(s.Context(), line...)
	if c.code != fault.ExitOK {
		s.Fatalf("%v: exit code %d: %s", line, c.code, &c.stderr)
	}
	return c.stdout.Bytes()
}

// asked reads the JSON of a command.
func asked[T any](s *sameModel, command string, more ...string) (out T) {
	s.Helper()
	if err := json.Unmarshal(s.ask(command, more...), &out); err != nil {
		s.Fatalf("%s: %v", command, err)
	}
	return out
}

// sameDigits is the rounding of arrivals that are rescaled in one step or in two.
const sameDigits = 1e-11

// same notes a mean response time that is not that of solve.
func (s *sameModel) same(command string, dynamic, static, within float64) {
	s.Helper()
	if math.Abs(dynamic/s.dynamic-1) > within || math.Abs(static/s.static-1) > within {
		s.Errorf("%s: dynamic %v, best static %v; solve: %v, %v", command, dynamic, static, s.dynamic, s.static)
	}
}

// TestModelsHaveOneAnswer: all commands that take a model have the same mean response times for it, given nothing and
// given each flag that they share. Without -long they are given nothing, or all flags together.
func TestModelsHaveOneAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fromLog := runIn(t.Context(), "init", "from-log").stdout.String()
	work := `{"kind": "phase_type", "time_unit": "s", "alpha": [0.8, 0.2], "T": [[-0.001, 0], [0, -0.00012]]}`
	for name, text := range map[string]string{"work.ph.json": work, "from-log.yaml": fromLog} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{"from-log": filepath.Join(dir, "from-log.yaml")}
	for name, text := range askedModels {
		files[name] = filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".yaml")
		if err := os.WriteFile(files[name], []byte("title: m\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range files {
		for _, change := range changes {
			if change.but == name {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, change.flags), func(t *testing.T) {
				none, all := change.flags == nil, len(change.flags) == 6
				if !none && !all {
					needs.Long(t, "asks seven commands about a model with one flag")
				}
				t.Parallel()
				s := &sameModel{T: t, file: file, flags: change.flags}
				s.solved()
				s.explored()
				if change.flags == nil {
					s.ganged()
					s.expected()
				}
				often := none && name == "nothing said" // simulations take long
				if often && !testing.Short() || !often && needs.IsLong() {
					s.simulated()
				}
				if (none || all) && needs.IsLong() {
					s.compared()
				}
			})
		}
	}
}

// policyMean is a row of results.
type policyMean struct {
	Policy     string
	Partitions int
	Mean       float64 `json:"mean_response_time"`
}

// solved compares the commands that solve chains.
func (s *sameModel) solved() {
	type row = policyMean
	first := asked[struct {
		Load    float64
		Results []row
		Best    row `json:"best_static"`
	}](s, "solve")
	s.dynamic, s.static, s.load = first.Results[0].Mean, first.Best.Mean, strconv.FormatFloat(first.Load, 'g', -1, 64)
	s.partitions = first.Best.Partitions

	rows, err := csv.NewReader(strings.NewReader(string(s.ask("sweep", "--format", "csv")))).ReadAll()
	if err != nil {
		s.Fatal(err)
	}
	means := map[string]float64{}
	best := math.Inf(1)
	for _, r := range rows[1:] {
		if value := slices.Index(rows[0], "value"); r[value-1] == "mean_response_time" {
			means[r[value-3]], _ = strconv.ParseFloat(r[value], 64)
			if r[value-3] == "static" {
				best = min(best, means["static"])
			}
		}
	}
	s.same("sweep", means["dynamic"], best, sameDigits)

	report := filepath.Join(s.TempDir(), "report.md")
	flags := s.flags
	s.flags = withoutLoad(flags) // the loads of these are a range
	var atLoad []string
	if len(flags) > len(s.flags) {
		atLoad = []string{"--set", "arrivals.load=" + s.load}
	}
	s.ask("report", append(atLoad, "--format", "markdown", "--output", report)...)
	text, err := os.ReadFile(report)
	if err != nil {
		s.Fatal(err)
	}
	_, cells, _ := strings.Cut(string(text), "| dynamic | ")
	shown, err := strconv.ParseFloat(strings.ReplaceAll(strings.Fields(cells)[0], ",", ""), 64)
	if err != nil {
		s.Fatal(err)
	}
	s.same("report", shown, s.static, 1e-4) // five digits

	c := asked[struct {
		Points []struct {
			Results []row
			Best    row `json:"best_static"`
		}
	}](s, "curve", "--load", s.load, "--format", "json").Points[0]
	s.same("curve", c.Results[0].Mean, c.Best.Mean, sameDigits)
	type mean struct {
		Value float64 `json:"mean_response_time"`
	}
	type points struct {
		Points []struct {
			Dynamic mean
			Static  mean `json:"best_static"`
		}
	}
	b := asked[points](s, "breakeven", "--over", "load", "--from", s.load, "--to", "0.95", "--steps", "2").Points[0]
	s.same("breakeven --over load", b.Dynamic.Value, b.Static.Value, sameDigits)
	s.flags = flags
	if s.overhead() {
		b = asked[points](s, "breakeven", "--over", "dynamic.overhead", "--from", "1", "--to", "1.1", "--steps", "2").Points[0]
		s.same("breakeven --over dynamic.overhead", b.Dynamic.Value, b.Static.Value, sameDigits)
	}
}

// overhead reports whether repartitions cost something.
func (s *sameModel) overhead() bool {
	return !strings.Contains(s.file, "nothing") || strings.Contains(strings.Join(s.flags, " "), "overhead")
}

func withoutLoad(flags []string) []string {
	i := slices.Index(flags, "--load")
	if i < 0 {
		return flags
	}
	return slices.Delete(slices.Clone(flags), i, i+2)
}

// explored compares the decision on the interactive page of report, which has the settings of the command line and
// always sets the load.
func (s *sameModel) explored() {
	file, err := modelfile.Load(s.file)
	if err != nil {
		s.Fatal(err)
	}
	var text strings.Builder
	if err := modelfile.WriteModel(&text, file); err != nil {
		s.Fatal(err)
	}
	q := explore.Question{Kind: "decision", Model: text.String(), Sets: []modelfile.Set{{Path: "arrivals.load", Value: s.load}}}
	for _, flag := range s.flags {
		if path, value, isSet := strings.Cut(flag, "="); isSet {
			q.Sets = append(q.Sets, modelfile.Set{Path: path, Value: value})
		}
	}
	asked, err := json.Marshal(q)
	if err != nil {
		s.Fatal(err)
	}
	var told explore.Decision
	if err := json.Unmarshal(answer.To(s.Context(), asked), &told); err != nil || len(told.Results) == 0 {
		s.Fatalf("explorer: %+v, error %v", told, err)
	}
	var static float64
	for _, r := range told.Results {
		if r.Policy != "dynamic" && r.Partitions == told.Best {
			static = r.Measures["mean_response_time"]
		}
	}
	s.same("explorer", told.Results[0].Measures["mean_response_time"], static, sameDigits)
}

// ganged compares gang scheduling of one class, which has all slices: with free switches that is static partitioning.
func (s *sameModel) ganged() {
	g := asked[struct{ Results []policyMean }](s, "lab gang", "--partitions", strconv.Itoa(s.partitions),
		"--slice", "1h", "--switch-over", "0").Results[0]
	s.same("lab gang", s.dynamic, g.Mean, sameDigits)
}

// expected compares what check computes.
func (s *sameModel) expected() {
	text, err := os.ReadFile(s.file)
	if err != nil {
		s.Fatal(err)
	}
	s.file = strings.TrimSuffix(s.file, ".yaml") + "-expected.yaml"
	text = fmt.Appendf(text, "expect:\n- {policy: dynamic, measure: mean_response_time, value: %v, tolerance: 1e-12}\n"+
		"- {policy: best-static, measure: mean_response_time, value: %v, tolerance: 1e-12}\n", s.dynamic, s.static)
	if err := os.WriteFile(s.file, text, 0o644); err != nil {
		s.Fatal(err)
	}
	s.ask("check")
}

// Interval is an estimate, as results have it.
type simulatedMean struct {
	Mean      float64
	HalfWidth float64 `json:"half_width"`
}

// wholeNodes is by how much whole nodes may differ from the average partitions of the chains, besides the intervals; who
// stops makes differences of a third.
const wholeNodes = 0.08

// simulated compares the commands that simulate.
func (s *sameModel) simulated() {
	short := []string{"--policy", "dynamic", "--replications", "8", "--precision", "60%", "--max-jobs", "2000000", "--seed", "7"}
	type comparison struct {
		Measure   string
		Simulated float64
		Z         float64
		Machine   *struct{ Mean float64 } // whole nodes, beside divided ones
	}
	type comparisons struct{ Results []comparison }
	chain := asked[comparisons](s, "validate", append(short, "--fidelity", "model")...).Results[0]
	if chain.Measure != "mean_response_time" || math.Abs(chain.Z) > 4 {
		s.Errorf("validate: %+v; solve: %v", chain, s.dynamic)
	}
	machine := asked[comparisons](s, "validate", append(short, "--fidelity", "machine")...).Results[0]
	again := asked[struct {
		Results []struct{ Measures map[string]simulatedMean }
	}](s, "simulate", append(short, "--fidelity", "machine")...).Results[0].Measures["mean_response_time"]
	whole := machine.Simulated // alone if nothing else can be compared with the chain
	if machine.Machine != nil {
		whole = machine.Machine.Mean
	}
	if whole != again.Mean {
		s.Errorf("whole nodes: validate %v, simulate %v", whole, again.Mean)
	}
	if off := math.Abs(again.Mean - s.dynamic); off > 2*again.HalfWidth+wholeNodes*s.dynamic { // 4 standard errors
		s.Errorf("whole nodes: %v ± %v; solve: %v", again.Mean, again.HalfWidth, s.dynamic)
	}
	advised := asked[struct {
		Results []struct {
			Policy string
			Mean   simulatedMean `json:"mean_response_time"`
		}
	}](s, "advise", "--over", "wait=0,1", "--max-jobs", "40000", "--seed", "7")
	for _, r := range advised.Results {
		if r.Policy != "dynamic" {
			continue
		}
		if off := math.Abs(r.Mean.Mean - again.Mean); off > 2*math.Hypot(r.Mean.HalfWidth, again.HalfWidth) {
			s.Errorf("advise: %+v; simulate: %+v", r.Mean, again)
		}
	}
}

// compared compares the families of lab compare. Rigid jobs in the order of their arrivals are static partitioning, because
// jobs of a model ask for the nodes of its best split.
func (s *sameModel) compared() {
	if strings.Contains(s.file, "measured") {
		return // lab compare takes models with a demand and a speedup
	}
	all := asked[struct {
		Results []struct {
			Policy string
			Mean   simulatedMean `json:"mean_response_time"`
		}
	}](s, "lab compare", "--jobs", "3000", "--dedicated", "0.001s", "--mpl", "1", "--seed", "7")
	for _, r := range all.Results {
		want := map[string]float64{"fcfs": s.static, "dynamic": s.dynamic, "dynamic+costs": s.dynamic}[r.Policy]
		if want == 0 || r.Policy == "dynamic" && s.overhead() {
			continue
		}
		if off := math.Abs(r.Mean.Mean - want); off > 2*r.Mean.HalfWidth+wholeNodes*want { // 4 standard errors
			s.Errorf("lab compare: %s %+v; solve: %v", r.Policy, r.Mean, want)
		}
	}
}
