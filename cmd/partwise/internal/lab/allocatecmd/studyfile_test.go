package allocatecmd

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// onNodes are the policies that a study of allocation may name.
var onNodes = policy.Standard().On(policy.WholeNodes)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(StudySchema()))
	c := jsonschema.NewCompiler()
	if err == nil {
		err = c.AddResource("schema.json", doc)
	}
	s, err2 := c.Compile("schema.json")
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return s
}

// value reads a text into a value for the validator.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestStudiesOfTestdata reads every study of the repository.
func TestStudiesOfTestdata(t *testing.T) {
	files, err := filepath.Glob("../../../../../testdata/downey96/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if _, err := LoadStudy(f, onNodes); err != nil {
			t.Error(err)
		}
	}
}

func TestStudyFile(t *testing.T) {
	a, err := ParseStudy("a.yaml", []byte(`version: 1
title: A study
nodes: 32
days: 10
load: [0.2, {from: 0.5, to: 1, step: 0.25}]
strategies: [avg, {name: share, strategy: "avg:*"}, "k:*"]
parameter: {name: c, values: [0.5, 1]}
draw: [utilization]
optimum: mean_response_time
jobs:
  lifetimes: {ends: [7.4s, 1h, 2d], weights: [3, 1]}
  parallelism: {min: 1, max: 16}
  sigma: {min: 0.5, max: 1}
  length: 8h
`), onNodes)
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "A study" || a.Nodes != 32 || a.Days != 10 || fmt.Sprint(a.Loads) != "[0.2 0.5 0.75 1]" ||
		a.Optimum != "mean_response_time" || len(a.Measures) != 1 {
		t.Errorf("%+v", a)
	}
	if fmt.Sprint(a.Strategies) != "[{avg avg} {share avg:*} {k:* k:*}]" || a.Strategies[1].With(0.5) != "avg:0.5" {
		t.Errorf("strategies %v", a.Strategies)
	}
	j := a.Jobs
	stages := j.Lifetimes.Stages()
	if len(stages) != 2 || stages[0].Weight != 0.75 || math.Abs(stages[1].Max-2*24*3600) > 1e-6 || j.Length != 8*3600 ||
		j.SigmaMin != 0.5 || j.SigmaMax != 1 || math.Abs(j.Parallelism.Quantile(1)-16) > 1e-12 {
		t.Errorf("jobs %+v, stages %+v", j, stages)
	}
	if !IsStudy("b.yaml", []byte("strategies: [avg]\n")) || IsStudy("b.yaml", []byte("machine: {nodes: 2}\n")) ||
		IsStudy("b.yaml", []byte("strategies: [avg\n")) {
		t.Error("a study of allocation is not told from a model")
	}
	a, err = ParseStudy("b.yaml", []byte("strategies: [avg]\n"), onNodes)
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "b" || a.Nodes != 64 || a.Days != 120 || fmt.Sprint(a.Loads) != "[0.75]" || a.Parameter != nil {
		t.Errorf("defaults %+v", a)
	}
	a, err = ParseStudy("c.yaml", []byte("speedup: {A: 8, sigma: 0:1:0.5}\n"), onNodes)
	if err != nil {
		t.Fatal(err)
	}
	if a.Speedup.A != 8 || fmt.Sprint(a.Speedup.Sigma) != "[0 0.5 1]" {
		t.Errorf("speedup %+v", a.Speedup)
	}
}

func TestMistakesInStudyFiles(t *testing.T) {
	schema := compiled(t)
	for _, c := range []struct {
		text, want string
		unseen     bool // by the schema
	}{
		{"title: x\n", "1:1: strategies: is missing; list what to compare, strategies: [sev, avg, asp]", false},
		{"strategies: []\n", "1:13: strategies: is empty", false},
		{"strategies: avg\n", "1:13: strategies: expected a list of policies, got \"avg\"", false},
		{"strategies: [svg]\n", "1:14: strategies[0]: unknown policy \"svg\"; did you mean \"avg\"?", true},
		{"strategies: [{strategy: avg, nme: x}]\n", "strategies[0].nme: unknown field; did you mean \"name\"?", false},
		{"strategies: [avg, avg]\n", "1:19: strategies[1]: there is already a policy \"avg\"; give each a name of its own", true},
		{"strategies: [\"avg:*\"]\n", "there is nothing to stand in place of *; add parameter: {values: [...]}", true},
		{"strategies: [avg]\nparameter: {values: []}\n", "2:21: parameter.values: is empty", false},
		{"strategies: [avg]\nparameter: {}\n", "parameter.values: is missing", false},
		{"strategies: [avg]\nparameter: {values: [-1]}\n", "parameter.values[0]: -1 is negative", false},
		{"strategies: [avg]\noptimum: utilization\n", "2:10: optimum: there is no parameter whose best value could be looked for", true},
		{"strategies: [avg]\ndraw: [utilisation]\n", "2:8: draw[0]: expected a measure, got \"utilisation\"; did you mean \"utilization\"?", false},
		{"strategies: [avg]\nload: 0\n", "2:7: load: 0 is not positive", false},
		{"strategies: [avg]\nload: {from: 1, to: 0.5, step: 0.1}\n", "2:21: load.to: 0.5 is less than from", true},
		{"strategies: [avg]\nnodes: 1.5\n", "2:8: nodes: 1.5 is not a whole number", false},
		{"strategies: [avg]\ndays: 0\n", "2:7: days: 0 is less than 1", false},
		{"strategies: [avg]\njobs: {sigma: {min: 2, max: 1}}\n", "jobs.sigma: max is less than min", true},
		{"strategies: [avg]\njobs: {lifetimes: {min: 2h, max: 1h}}\n", "jobs.lifetimes", true},
		{"strategies: [avg]\njobs: {lifetimes: {ends: [1, 2, 3], weights: [1]}}\n", "3 ends do not bound 1 stages", true},
		{"strategies: [avg]\njobs: {parallelism: {min: 0.5, max: 2}}\n", "jobs.parallelism.min: 0.5 is less than 1", true},
		{"strategies: [avg]\nsizes: {A: 3}\n", "sizes.sigma: is missing", false},
		{"strategies: [avg, easy]\nsizes: {A: 3, sigma: 1}\n",
			"1:19: strategies[1]: easy does not choose the sizes of jobs", true},
		{"strategies: [\"static:5\"]\n", "1:14: strategies[0]: policy static:5: the machine can be split into K = [1 2 4 ", true},
		{"strategies: [\"static:5\"]\nnodes: 10\nsizes: {A: 3, sigma: 1}\n", "static:5 does not choose the sizes of jobs", true},
		{"speedup: {A: 0, sigma: [1]}\n", "1:14: speedup.A: 0 is less than 1", false},
		{"speedup: {A: 2, sigma: [1]}\nsizes: {A: 2, sigma: [1]}\n", "sizes: cannot stand beside \"speedup\"", true},
		{"strategies: [avg]\nversion: 2\n", "2:10: version: version 2 is not known", false},
		{"strategies: [avg\n", "a.yaml:", true},
	} {
		_, err := ParseStudy("a.yaml", []byte(c.text), onNodes)
		var located modelfile.Errors
		if !errors.As(err, &located) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
		if !c.unseen && schema.Validate(value(t, c.text)) == nil {
			t.Errorf("%q: the schema accepts it", c.text)
		}
	}
	if _, err := LoadStudy("no-such.yaml", onNodes); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A policy whose text has a * has a row for each value of the parameter and load.
func TestRowsOfAStudy(t *testing.T) {
	s, err := ParseStudy("s.yaml", []byte("strategies: [avg, \"k:*\"]\nparameter: {values: [0.5, 1]}\nload: [0.3, 0.6]\n"), onNodes)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Run(func(load float64, policies []policy.Policy) ([]Outcome, error) {
		out := make([]Outcome, len(policies))
		for i, p := range policies {
			out[i] = Outcome{Policy: p, Load: load}
		}
		return out, nil
	})
	if err != nil || len(rows) != 6 || !math.IsNaN(rows[0].Parameter) || rows[5].Parameter != 1 || rows[5].Load != 0.6 ||
		rows[5].Policy.String() != "k:1" {
		t.Errorf("rows %+v, error %v", rows, err)
	}
}
