package modelfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// folder writes files into a directory of the test.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestStudy(t *testing.T) {
	dir := folder(t, map[string]string{
		"models/m.yaml": small,
		"s.yaml": `title: Both
load: {from: 0.1, to: 0.5, step: 0.1}
reference: models/m.yaml
series:
  - {name: one, model: models/m.yaml}
  - {name: two, model: models/m.yaml, set: {machine.nodes: 4, arrivals: {interarrival: {exponential: {mean: 2}}}}}
  - {model: models/m.yaml, set: {title: third}}
`})
	s, err := LoadStudy(filepath.Join(dir, "s.yaml"), tree.Set{Path: "load.to", Value: "0.3"})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Loads) != 3 || s.Loads[2] != 0.3 || s.Title != "Both" || s.Reference.System.Nodes != 2 {
		t.Errorf("study %+v", s)
	}
	if len(s.Series) != 3 || s.Series[0].Model.System.Nodes != 2 || s.Series[1].Model.System.Nodes != 4 ||
		s.Series[2].Name != "third" {
		t.Errorf("series %+v", s.Series)
	}
	near(t, "rate", s.Series[1].Model.System.Arrivals.Rate(), 0.5)
}

func TestModelAsStudy(t *testing.T) {
	s, err := ParseStudy("m.yaml", []byte(small), tree.Set{Path: "machine.nodes", Value: "3"})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Loads) != 49 || len(s.Series) != 1 || s.Reference != nil ||
		s.Series[0].Name != "m" || s.Series[0].Model.System.Nodes != 3 {
		t.Errorf("study %+v", s)
	}
}

// TestDefaultLoads: a model alone is solved at the loads 0.02, 0.04, …, 0.98.
func TestDefaultLoads(t *testing.T) {
	s, err := ParseStudy("m.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i := range 49 {
		want = append(want, float64(i+1)/50)
	}
	if diff := cmp.Diff(want, s.Loads); diff != "" {
		t.Error(diff)
	}
}

func TestWrongStudies(t *testing.T) {
	for text, want := range map[string]string{
		"series: []": "s.yaml:1:9: series: is empty",
		"load: [0.1]\nreference: m.yaml": "s.yaml:1:1: series: is missing; list what to draw, " +
			"series: [{name: ..., model: m.yaml}]",
		"series: [{model: m.yaml, nme: a}]": `s.yaml:1:26: series[0].nme: unknown field; did you mean "name"?`,
		"series: [{name: a}]":               "s.yaml:1:10: series[0].model: is missing; name its model file",
		"series: [{model: absent.yaml}]":    "s.yaml:1:18: series[0].model: there is no file DIR/absent.yaml",
		"series: [{model: s2.yaml}]": "s.yaml:1:18: series[0].model: DIR/s2.yaml is a study, " +
			"not a model; name a model file",
		"series: [{model: w.yaml}]":                          "w.yaml:2:18: machine.nodes: 0 is less than 1",
		"series: [{model: m.yaml}, {model: m.yaml}]":         `s.yaml:1:27: series[1]: there is already a series "m"; give each a name of its own`,
		"series: [{model: m.yaml, set: {machine.nodes: 0}}]": "s.yaml:1:47: machine.nodes: 0 is less than 1",
		"series: [{model: m.yaml, set: {machine.nods: 1}}]":  `s.yaml:1:46: machine.nods: unknown field; did you mean "nodes"?`,
		"series: [{model: m.yaml, set: {\"jobs.x[0]\": 1}}]": "s.yaml:1:45: jobs.x: there is no list here, but nothing",
		"series: [{model: m.yaml, set: {\"a[\": 1}}]":        `s.yaml:1:32: series[0].set["a["]: [ has no end`,
		"series: [{model: m.yaml, set: [1]}]": "s.yaml:1:31: series[0].set: expected settings by path, " +
			"got a list; write them such as {machine.nodes: 16}",
		"load: x\nseries: [{model: m.yaml}]": "s.yaml:1:7: load: expected a load, a list of loads or " +
			"{from: 0.1, to: 1, step: 0.1}, got \"x\"",
		"load: []\nseries: [{model: m.yaml}]":        "s.yaml:1:7: load: is empty",
		"load: [0.1, -1]\nseries: [{model: m.yaml}]": "s.yaml:1:13: load[1]: -1 is not positive",
		"load: {from: 0.5, to: 0.1, step: 0.1}\nseries: [{model: m.yaml}]": "s.yaml:1:23: load.to: the end 0.1 is less than the " +
			"beginning 0.5; write the smaller one first",
		"load: {from: 0.1, to: 0.5, step: 0}\nseries: [{model: m.yaml}]":    "s.yaml:1:34: load.step: 0 is not positive",
		"load: {from: 0.1, to: 0.5, step: 1e-9}\nseries: [{model: m.yaml}]": "s.yaml:1:34: load.step: makes more than 100000 values; take larger steps",
		"load: {from: 0.1, to: 0.5}\nseries: [{model: m.yaml}]":             "s.yaml:1:7: load.step: is missing",
		"reference: s2.yaml\nseries: [{model: s2.yaml}]": "s.yaml:1:12: reference: DIR/s2.yaml is a study, not a " +
			"model; name a model file",
		"reference: 3\nseries: [{model: m.yaml}]": "s.yaml:1:12: reference: expected the name of a model " +
			"file, got 3; put it in quotes",
		"title: [a]\nseries: 3": "s.yaml:1:8: title: expected a title, got a " +
			"list\ns.yaml:2:9: series: expected a list of series {name: ..., model: ...}, got 3",
	} {
		dir := folder(t, map[string]string{
			"m.yaml": small, "w.yaml": "version: 1\nmachine: {nodes: 0}\narrivals: {rate: 1}\njobs: {demand: {exponential: {mean: 1}}, speedup: linear}\n",
			"s2.yaml": "series: [{model: m.yaml}]", "s.yaml": text})
		_, err := LoadStudy(filepath.Join(dir, "s.yaml"))
		if err == nil {
			t.Errorf("accepted %s", text)
			continue
		}
		if got := plainPaths(err.Error(), dir); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// plainPaths takes the directory of a test out of messages: at the start of a line it is dropped, elsewhere DIR.
func plainPaths(message, dir string) string {
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimPrefix(l, dir+string(filepath.Separator)), dir, "DIR")
	}
	return strings.Join(lines, "\n")
}

// TestStudyAssumes: an assumption that is not true of all series names those of which it is true, or their number.
func TestStudyAssumes(t *testing.T) {
	dir := folder(t, map[string]string{"m.yaml": small, "s.yaml": `series:
  - {name: costly, model: m.yaml, set: {dynamic: {overhead: {exponential: {mean: 1}}}}}
  - {name: free, model: m.yaml, set: {dynamic: null}}
`})
	for _, c := range []struct{ file, want string }{{"s.yaml", "free"}, {"m.yaml", ""}} {
		s, err := LoadStudy(filepath.Join(dir, c.file), tree.Set{Path: "machine.nodes", Value: "4"})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, a := range s.Assumed() {
			if a.Name == Overhead {
				found = true
				if a.Series != c.want {
					t.Errorf("%s: %+v, want it of %q", c.file, a, c.want)
				}
			}
		}
		if c.file == "s.yaml" && !found {
			t.Errorf("%s: no overhead among %+v", c.file, s.Assumed())
		}
	}
}
