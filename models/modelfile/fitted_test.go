package modelfile

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	dir := folder(t, map[string]string{
		"data/x.csv": "job,minutes\n1,2\n2,4\n3,0\n4,6\n",
		"m.yaml":     strings.Replace(small, "{exponential: {mean: 1}}", "{fit: {file: data/x.csv, column: minutes, phases: 1, unit: min}}", 1)})
	m, err := Load(filepath.Join(dir, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// The best exponential has the mean of the data, the zero being dropped; to the tolerance of the ascent.
	if got := m.System.Demand.Mean(); math.Abs(got-240) > 1e-4 {
		t.Errorf("mean %v s", got)
	}
	if len(m.Warnings) == 0 {
		t.Error("no word about the value that was dropped")
	}
}

func TestWrongFits(t *testing.T) {
	for body, want := range map[string]string{
		"{file: x.csv}":                        "m.yaml:4:29: jobs.demand.fit.file: DIR/x.csv: has several columns; say which one to take: a, b",
		"{file: x.csv, column: c}":             "m.yaml:4:29: jobs.demand.fit.file: DIR/x.csv: column c: there is no such column; there are a, b",
		"{file: x.csv, column: b}":             "x.csv:3: column b: ",
		"{file: no.csv}":                       "m.yaml:4:29: jobs.demand.fit.file: there is no file DIR/no.csv",
		"{file: .}":                            "m.yaml:4:29: jobs.demand.fit.file: DIR is not a regular file",
		"{column: b}":                          "m.yaml:4:22: jobs.demand.fit.file: is missing; name the table of measurements",
		"{file: x.csv, column: a, phases: 51}": "m.yaml:4:55: jobs.demand.fit.phases: 51 is more than 50, the most that is supported",
		"{file: x.csv, column: a, unit: sec}":  `m.yaml:4:53: jobs.demand.fit.unit: expected a time unit, got "sec"; use us, ms, s, min, h or d`,
		"{file: x.csv, column: a, unit: sec, resolution: 1s}": `m.yaml:4:53: jobs.demand.fit.unit: expected a time unit, got "sec"; use us, ms, s, min, h or d`,
		"{file: x.csv, column: a, family: cf2}":               `m.yaml:4:55: jobs.demand.fit.family: expected a family, got "cf2"; did you mean "cf1"?`,
	} {
		dir := folder(t, map[string]string{"x.csv": "a,b\n1,2\n3,x\n",
			"m.yaml": strings.Replace(small, "{exponential: {mean: 1}}", "{fit: "+body+"}", 1)})
		_, err := Load(filepath.Join(dir, "m.yaml"))
		if err == nil {
			t.Errorf("accepted %s", body)
		} else if got := plainPaths(err.Error(), dir); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", body, got, want)
		}
	}
}

// Fitted run times are demands only on one node: what a fit knows of nodes decides whether a model asks.
func TestFittedTimesKnowTheirNodes(t *testing.T) {
	for _, c := range []struct {
		scores, speedup, want string
	}{
		{`{"family": "cf1"}`, "linear", "on a number of nodes that it does not tell"},
		{`{"family": "cf1", "nodes": 1}`, "linear", ""},
		{`{"family": "cf1", "nodes": 8, "speedup": "amdahl:0.01"}`, "amdahl:0.01", ""},
		{`{"family": "cf1", "nodes": 8, "speedup": "amdahl:0.01"}`, "linear", "by the speedup amdahl:0.01, the jobs have linear"},
		{`null`, "linear", ""},
	} {
		dir := folder(t, map[string]string{
			"x.ph.json": `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1], "T": [[-1]], "fit": ` + c.scores + `}`,
			"m.yaml":    "version: 1\nmachine: {nodes: 4}\narrivals: {rate: 0.1}\njobs: {demand: {file: x.ph.json}, speedup: " + c.speedup + "}\n"})
		m, err := Load(filepath.Join(dir, "m.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if said := fmt.Sprint(m.Warnings); (c.want == "") != (len(m.Warnings) == 0) || !strings.Contains(said, c.want) {
			t.Errorf("%s with jobs of speedup %s: warnings %s, want %q", c.scores, c.speedup, said, c.want)
		}
	}
}

// A speedup of any kind converts what is fitted when the model is loaded: a table is not comparable, and once ended the program.
func TestFittedOnNodes(t *testing.T) {
	for _, c := range []struct {
		fit, speedup string
		mean         float64
	}{
		{"on_nodes: 2", "{table: {1: 1, 2: 1.5, 4: 2}}", 1.5 * 30},
		{"nodes: n", "{table: {1: 1, 2: 1.5, 4: 2}}", (20*1.5 + 40*2) / 2},
		{"nodes: n", "linear", (20*2 + 40*4) / 2},
		{"on_nodes: 1", "{amdahl: {serial: 0.5}}", 30},
	} {
		dir := folder(t, map[string]string{"x.csv": "t,n\n20,2\n40,4\n",
			"m.yaml": "version: 1\nmachine: {nodes: 4}\narrivals: {rate: 0.001}\njobs: {demand: {fit: {file: x.csv, column: t, phases: 1, " + c.fit +
				"}}, speedup: " + c.speedup + "}\n"})
		m, err := Load(filepath.Join(dir, "m.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.System.Demand.Mean(); math.Abs(got-c.mean) > 1e-6*c.mean { // the ascent stops there
			t.Errorf("%s, %s: mean %v, want %v", c.fit, c.speedup, got, c.mean)
		}
	}
}

func TestWrongNodesOfFits(t *testing.T) {
	for fit, want := range map[string]string{
		"nodes: n, on_nodes: 2":     `cannot stand beside "nodes"`,
		"nodes: n, resolution: 1s":  `cannot stand beside "nodes"`,
		"nodes: t":                  "the speedup is known from 1 to 4 nodes",
		"on_nodes: 8":               "the speedup is known from 1 to 4 nodes",
		"on_nodes: 0":               "jobs.demand.fit.on_nodes",
		"on_nodes: 2, swf: runtime": "a log says itself on how many nodes its jobs ran",
	} {
		dir := folder(t, map[string]string{"x.csv": "t,n\n20,2\n40,4\n",
			"m.yaml": "version: 1\nmachine: {nodes: 4}\narrivals: {rate: 0.001}\njobs: {demand: {fit: {file: x.csv, column: t, phases: 1, " + fit +
				"}}, speedup: {table: {1: 1, 4: 2}}}\n"})
		if _, err := Load(filepath.Join(dir, "m.yaml")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fit, err, want)
		}
	}
}
