package modelfile

import (
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
