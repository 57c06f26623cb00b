package modelfile

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// over returns settings as the flags --over make them.
func over(t *testing.T, texts ...string) []tree.Set {
	t.Helper()
	var sets []tree.Set
	for _, text := range texts {
		s, err := ParseOver(text)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	return sets
}

// names returns the names of the series with the number of nodes of their machines.
func names(s *Study) (names []string, nodes []int) {
	for _, one := range s.Series {
		names = append(names, one.Name)
		nodes = append(nodes, one.Model.System.Nodes)
	}
	return names, nodes
}

func TestModelOverAGrid(t *testing.T) {
	sets := append(over(t, "machine.nodes=2,4:8:4", "jobs.speedup=linear,{amdahl: {serial: 0.1}}"), SetLoads("0.2:0.4:0.1,0.9"))
	s, err := ParseStudy("m.yaml", []byte(small), sets...)
	if err != nil {
		t.Fatal(err)
	}
	got, nodes := names(s)
	want := []string{
		"machine.nodes=2, jobs.speedup=linear", "machine.nodes=2, jobs.speedup={amdahl: {serial: 0.1}}",
		"machine.nodes=4, jobs.speedup=linear", "machine.nodes=4, jobs.speedup={amdahl: {serial: 0.1}}",
		"machine.nodes=8, jobs.speedup=linear", "machine.nodes=8, jobs.speedup={amdahl: {serial: 0.1}}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if want := []int{2, 2, 4, 4, 8, 8}; !slices.Equal(nodes, want) {
		t.Errorf("nodes %v, want %v", nodes, want)
	}
	if want := []float64{0.2, 0.3, 0.4, 0.9}; !slices.Equal(s.Loads, want) || s.NoLoads {
		t.Errorf("loads %v, want %v", s.Loads, want)
	}
	if want := []string{"8", "linear"}; s.Title != "m" || !slices.Equal(s.Series[4].At, want) {
		t.Errorf("title %q, values %v", s.Title, s.Series[4].At)
	}
}

func TestStudyOverAGrid(t *testing.T) {
	dir := folder(t, map[string]string{"m.yaml": small, "s.yaml": `
over:
  machine.nodes: [4, 8]
  jobs.demand.mean: {from: 1, to: 2, step: 0.5}
series:
  - {name: a, model: m.yaml}
  - {model: m.yaml, set: {machine.min_nodes: 2}}
`})
	path := filepath.Join(dir, "s.yaml")
	s, err := LoadStudy(path, tree.Set{Path: "jobs.speedup", Value: "{power: {exponent: 0.5}}"})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := names(s)
	if len(got) != 12 || got[0] != "a, machine.nodes=4, jobs.demand.mean=1" ||
		got[11] != "m, machine.nodes=8, jobs.demand.mean=2" || !s.NoLoads || len(s.Loads) != 49 {
		t.Errorf("series %q", got)
	}
	// The setting reached every model: 2 / √8.
	near(t, "run time on 8 nodes", s.Series[5].Model.System.Service[0].Mean(), 2/2.8284271247461903)
	s, err = LoadStudy(path, over(t, "machine.nodes=16")...)
	if err != nil {
		t.Fatal(err)
	}
	if _, nodes := names(s); len(nodes) != 6 || nodes[0] != 16 || len(s.Axes) != 2 || s.Axes[0].Path != "machine.nodes" {
		t.Errorf("the axis of a flag: %v nodes, axes %v", nodes, s.Axes)
	}
}

func TestWrongGrids(t *testing.T) {
	for text, want := range map[string]string{
		"over: 3": "s.yaml:1:7: over: expected lists of values by path, got 3; write them such as " +
			"{machine.nodes: [8, 16, 32]}",
		"over: {machine.nodes: 3}":         "s.yaml:1:23: over[\"machine.nodes\"]: expected a list of values, got 3",
		"over: {machine.nodes: []}":        "s.yaml:1:23: over[\"machine.nodes\"]: is empty",
		"over: {machine.nodes: [2, 4, 2]}": "s.yaml:1:23: over[\"machine.nodes\"]: 2 is given twice",
		"over: {\"a[\": [1]}":              "s.yaml:1:8: over[\"a[\"]: [ has no end",
		"over: {machine.nods: [1, 2]}":     "s.yaml:1:23: machine.nods: unknown field (with machine.nods=1); did you mean \"nodes\"?",
		"over: {machine.nodes: [2, 0, 4]}": "s.yaml:1:27: machine.nodes: 0 is less than 1 (with machine.nodes=0)",
		"over: {machine.min_nodes: [1, 3]}": "s.yaml:1:31: machine.min_nodes: 3 is more than the 2 nodes of the machine (with " +
			"machine.min_nodes=3); it is the number of nodes of the smallest partition, such as 1",
		"over: {machine.nodes: [8:2]}": "s.yaml:1:24: over[\"machine.nodes\"][0]: the end 2 is less than the beginning 8; " +
			"write the smaller one first",
		"over: {machine.nodes: [1:2:0]}":    "s.yaml:1:24: over[\"machine.nodes\"][0]: 0 is not positive",
		"over: {machine.nodes: [1:2:1e-9]}": "s.yaml:1:24: over[\"machine.nodes\"][0]: makes more than 100000 values; take larger steps",
		"over: {dynamic.overhead: [1m:5s:5s]}": "s.yaml:1:27: over[\"dynamic.overhead\"][0]: the end 5s is less than the " +
			"beginning 1m; write the smaller one first",
		"over: {dynamic.overhead: [5m:30s]}": "s.yaml:1:27: over[\"dynamic.overhead\"][0]: the end 30s is less than the beginning 5m; " +
			"write the smaller one first",
		"over: {dynamic.overhead: [30s:5m]}": "s.yaml:1:27: over[\"dynamic.overhead\"][0]: the range \"30s:5m\" has no step; " +
			"write 30s:5m:STEP",
		"over: {dynamic.overhead: [5:3m]}": "s.yaml:1:27: over[\"dynamic.overhead\"][0]: not every number of the range \"5:3m\" " +
			"has a unit; did you mean \"5m:3m\"?",
		"over: {dynamic.overhead: [1s:5s:0s]}": "s.yaml:1:27: over[\"dynamic.overhead\"][0]: a step of 0s is not positive",
		"over: {machine.nodes: ['1:20000']}":   "s.yaml:1:24: machine.nodes: expected a whole number, got \"1:20000\"",
		"over: {machine.nodes: [1:20000]}":     "s.yaml:1:7: over: the combinations make more than 10000 models; make several studies of it",
		"over: {machine.nodes: {from: 1}}": "s.yaml:1:23: over[\"machine.nodes\"].to: is missing\ns.yaml:1:23: " +
			"over[\"machine.nodes\"].step: is missing",
		"over: {machine.nodes: [1:1000]}\nload: {from: 0.01, to: 4.5, step: 0.005}": "s.yaml:1:1: makes more than 200000 points; " +
			"make several studies of it",
		"load: [0.1:0.5:0.1, 3s]":     "s.yaml:1:21: load[1]: expected a load, a list of loads or {from: 0.1, to: 1, step: 0.1}, got \"3s\"",
		"load: [-0.1:0.5:0.1]":        "s.yaml:1:8: load[0]: -0.1 is not positive",
		"over: {series: [1], a: [b]}": "",
	} {
		dir := folder(t, map[string]string{"m.yaml": small, "s.yaml": text + "\nseries: [{model: m.yaml}]"})
		_, err := LoadStudy(filepath.Join(dir, "s.yaml"))
		if err == nil {
			t.Errorf("accepted %s", text)
			continue
		}
		if got := plainPaths(err.Error(), dir); want != "" && got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestGridBlamesACombination: a mistake that stands in the model but comes from a value says which.
func TestGridBlamesACombination(t *testing.T) {
	dir := folder(t, map[string]string{
		"m.yaml": strings.Replace(small, "nodes: 2", "nodes: 8, min_nodes: 4", 1),
		"s.yaml": "over: {machine.nodes: [8, 10, 13]}\nseries: [{model: m.yaml}]"})
	_, err := LoadStudy(filepath.Join(dir, "s.yaml"))
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "m.yaml:2:") ||
		!strings.Contains(err.Error(), "4 does not divide the 10 nodes (with machine.nodes=10)") {
		t.Errorf("error %v", err)
	}
}

// TestOneMeanForAnyNumberOfPartitions: a single mean stands for all repartitions that resize a job, so that the machine
// can be varied.
func TestOneMeanForAnyNumberOfPartitions(t *testing.T) {
	text := small + "\ndynamic: {shrink: {means: 3, scv: 0.5}, expand: {means: 1min}}\n"
	if err := compiled(t, Schema("model")).Validate(value(t, "m.yaml", []byte(text))); err != nil {
		t.Error(err)
	}
	s, err := ParseStudy("m.yaml", []byte(text), over(t, "machine.nodes=1,4")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range s.Series {
		system := one.Model.System
		n := system.Partitions()
		for i := 1; i <= n; i++ {
			shrink, expand := 3.0, 60.0
			if i == 1 {
				shrink = 0 // it begins alone
			}
			if i == n {
				expand = 0 // no departure leaves all partitions taken
			}
			near(t, "shrink", system.ShrinkTo(i).Mean(), shrink)
			near(t, "expand", system.ExpandTo(i).Mean(), expand)
		}
	}
	for text, want := range map[string]string{
		"-1": "-1 is negative", "x": "expected a time", "{}": "expected a time", "[1]": "has 1 entry",
	} {
		text = small + "\ndynamic: {shrink: {means: " + text + "}}\n"
		if _, err := Parse("m.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestParseOver(t *testing.T) {
	for text, want := range map[string]string{
		"machine.nodes":   `modelfile: "machine.nodes" is not an axis; write PATH=VALUES, such as machine.nodes=8,16,32`,
		"machine.nodes= ": `modelfile: "machine.nodes= " has no values; write machine.nodes=VALUE,VALUE or a range machine.nodes=FROM:TO:STEP`,
		"scv=":            `modelfile: "scv=" has no values; write scv=VALUE,VALUE or a range scv=FROM:TO:STEP`,
		"=1":              `modelfile: "=1" is not an axis; write PATH=VALUES, such as machine.nodes=8,16,32`,
		"load=,":          `modelfile: a value is missing in "load=,"; separate values by single commas`,
		"scv=1, ,2":       `modelfile: a value is missing in "scv=1, ,2"; separate values by single commas`,
		"a..b=1":          `modelfile: axis "a..b=1": a part of the path "a..b" is empty`,
	} {
		if _, err := ParseOver(text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	_, err := ParseStudy("m.yaml", []byte(small), over(t, "machine.nodes=2,x")...)
	const want = "--over machine.nodes=2,x: machine.nodes: expected a whole number, got \"x\" (with machine.nodes=x)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestInputsNameWhatAStudyIsMadeFrom(t *testing.T) {
	files := map[string]string{
		"models/m.yaml": strings.Replace(small, "{exponential: {mean: 1}}", "{fit: {file: ../times.csv, phases: 1}}", 1),
		"times.csv":     "1\n2\n3\n",
		"s.yaml":        "# a comment\nload: [0.1, 0.2]\nseries: [{name: a, model: models/m.yaml}]",
	}
	inputs := func() map[string]string {
		s, err := LoadStudy(filepath.Join(folder(t, files), "s.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		byField := map[string]string{}
		for _, in := range all {
			byField[in.File+" "+in.Field] = in.Value
		}
		return byField
	}
	before := inputs()
	for field, want := range map[string]string{
		"s.yaml load": "[0.1, 0.2]", "s.yaml series[0].model": "models/m.yaml", "models/m.yaml machine.nodes": "2",
	} {
		if before[field] != want {
			t.Errorf("%s is %q, want %q", field, before[field], want)
		}
	}
	files["s.yaml"] = strings.Replace(files["s.yaml"], "# a comment\n", "", 1)
	if diff := cmp.Diff(before, inputs()); diff != "" {
		t.Errorf("a comment makes a difference:\n%s", diff)
	}
	files["times.csv"] += "4\n"
	after := inputs()
	if after["times.csv "] == before["times.csv "] || !strings.HasPrefix(after["times.csv "], "sha256:") {
		t.Errorf("times.csv: %q before, %q after a change", before["times.csv "], after["times.csv "])
	}
}

// TestStudySchema checks that the schema knows the same keys as the decoder, and accepts every form of an axis.
func TestStudySchema(t *testing.T) {
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(Schema("study"), &s); err != nil {
		t.Fatal(err)
	}
	for _, key := range studyKeys {
		if s.Properties[key] == nil || len(s.Properties) != len(studyKeys) {
			t.Errorf("key %s, %d keys in the schema", key, len(s.Properties))
		}
	}
	study := compiled(t, Schema("study"))
	for text, ok := range map[string]bool{
		"over: {machine.nodes: [8, 16], jobs.demand: [{exponential: {mean: 1}}, null]}": true,
		"over: {machine.nodes: {from: 8, to: 16, step: 2}, a: ['1:4:1']}":               true,
		"load: ['0.1:0.9:0.1', 0.95]":                                                   true,
		"load: '0.1:0.9:0.1, 0.95'":                                                     true,
		"load: 0.7":                                                                     true,
		"load: [70%, 499.5 %, 500%, +7e1%]":                                             true,
		"load: 501%":                                                                    false,
		"load: 500.1%":                                                                  false,
		"load: 5.1":                                                                     false,
		"over: [machine.nodes]":                                                         false,
		"over: {machine.nodes: []}":                                                     false,
		"over: {machine.nodes: 8}":                                                      false,
		"load: [0.1, 'a']":                                                              false,
	} {
		err := study.Validate(value(t, "s.yaml", []byte(text+"\nseries: [{model: m.yaml}]")))
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
