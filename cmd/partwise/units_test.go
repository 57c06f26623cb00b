package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// TestCSVSaysItsUnits: every CSV that holds times says in a column in which unit they are, the last one if it is that of all
// rows; every command that writes CSV is among those that are run.
func TestCSVSaysItsUnits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"m.yaml": "version: 1\ntitle: m\ntime_unit: min\nmachine: {nodes: 2}\narrivals: {rate: 1, load: 0.5}\n" +
			"jobs: {demand: {exponential: {mean: 3}}, speedup: linear}\n" +
			"expect: [{policy: dynamic, measure: mean_response_time, value: 3, tolerance: 1}]\n",
		"mixed.yaml": "version: 1\ntitle: mixed\nload: [0.5]\nseries:\n  - {name: a, model: m.yaml}\n" +
			"  - {name: b, model: m.yaml, set: {time_unit: h}}\n",
		"runs.csv": "run\n1\n2\n3\n5\n8\n13\n21\n34\n",
		"log.swf": "; MaxProcs: 2\n; UnixStartTime: 0\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n" +
			"2 5 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n3 9 0 30 1 -1 -1 1 40 -1 1 1 1 1 1 1 -1 -1\n",
	} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runs := map[string][]string{ // unit and command line, for each command; of "jobs.csv" and "trace.csv" what they write there
		"check":     {"min check m.yaml"},
		"solve":     {"min solve m.yaml"},
		"curve":     {"min curve m.yaml --load 0.5", "min|h curve mixed.yaml"},
		"sweep":     {"min sweep m.yaml --load 0.5", "min|h sweep mixed.yaml"},
		"breakeven": {"min breakeven m.yaml --over load"},
		"simulate": {"min simulate m.yaml --policy dynamic --precision 20% --replications 4",
			"min simulate m.yaml --policy dynamic --precision 20% --replications 4 --trace trace.csv --trace-jobs 5"},
		"validate":            {"min validate m.yaml --policy static:1 --precision 20% --replications 4"},
		"fit":                 {"s fit runs.csv --phases 1", "h fit runs.csv --phases 1 --time-unit h"},
		"ph show":             {"s ph show work.ph.json"},
		"log":                 {"s log log.swf"},
		"replay":              {"s replay log.swf --policy easy", "s replay log.swf --policy easy --jobs-output jobs.csv"},
		"lab allocate":        {"s lab allocate --days 2 --policies avg"},
		"lab epochs":          {"quantum lab epochs --nodes 4 --min-nodes 1,2 --policies equi"},
		"lab overheads":       {"s lab overheads"},
		"advise":              {"min advise m.yaml --over wait --max-jobs 20000"},
		"policies":            {"none policies"},
		"merge":               nil, // of what curve and sweep write
		"lab compare":         {"min lab compare m.yaml --length 130 --dedicated 0.5s"},
		"lab gang":            {"min lab gang m.yaml --slice 5"},
		"lab testbed measure": {"s lab testbed measure --nodes 2 --phase 10ms --gap GAP --times 2 --mean 50ms --least-idle 0"},
		"lab testbed run": {"s lab testbed run --nodes 2 --phase 10ms --gap GAP --times 2 --mean 50ms --load 0.5 --jobs 10 " +
			"--replications 2 --policies dynamic --least-idle 0"},
		"lab coschedule": {"s lab coschedule --jobs 10 --nodes 4 --replications 2 --policies gs"},
	}
	if code := command(t, dir, "fit", "runs.csv", "--phases", "1", "--output", "work.ph.json"); code.exit != 0 {
		t.Fatal(code.stderr)
	}
	for _, c := range partwiseCommands() {
		if _, ok := runs[c]; !ok {
			t.Errorf("%s writes CSV, and no run of it says in which unit", c)
		}
	}
	for _, lines := range runs {
		for _, line := range lines {
			words := strings.Fields(line)
			got := withGap(t, dir, append(words[1:], "--format", "csv"))
			text := got.stdout
			for _, written := range []string{"jobs.csv", "trace.csv"} {
				if slices.Contains(words, written) {
					data, err := os.ReadFile(file(written))
					if err != nil {
						t.Fatal(err)
					}
					text = string(data)
				}
			}
			if problem := unitsOf(text, words[0]); problem != "" {
				t.Errorf("%s: %s (exit code %d)\n%s%s", line, problem, got.exit, got.stderr, text[:min(len(text), 300)])
			}
		}
	}
}

// withGap runs a command line. The word GAP in it stands for a gap between changes on the test bed. The gap is doubled as long as the
// command asks for a longer one: how long a change takes depends on the load of this machine.
func withGap(t *testing.T, dir string, words []string) done {
	t.Helper()
	for gap := 60 * time.Millisecond; ; gap *= 2 {
		line := slices.Clone(words)
		if i := slices.Index(line, "GAP"); i >= 0 {
			line[i] = gap.String()
		}
		got := command(t, dir, line...)
		if gap > 10*time.Second || !strings.Contains(got.stderr, "longer gaps, are needed") {
			return got
		}
	}
}

// unitsOf says what is wrong with the units of a CSV: those of its rows, separated by |, none for a CSV without times.
func unitsOf(text, want string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		return "is no CSV with rows"
	}
	column := slices.Index(rows[0], output.TimeUnit)
	if column < 0 && want == "none" {
		return ""
	}
	if column < 0 {
		return "has no column " + output.TimeUnit
	}
	var units []string
	for _, row := range rows[1:] {
		if !slices.Contains(units, row[column]) {
			units = append(units, row[column])
		}
	}
	if got := strings.Join(units, "|"); got != want {
		return "says " + got
	}
	return ""
}

// done is what came of a command line.
type done struct {
	exit           int
	stdout, stderr string
}

// command runs a command line on files of a folder.
func command(t *testing.T, dir string, words ...string) done {
	t.Helper()
	for i, w := range words {
		if _, err := os.Stat(filepath.Join(dir, w)); err == nil || strings.HasSuffix(w, ".csv") || strings.HasSuffix(w, ".json") {
			words[i] = filepath.Join(dir, w)
		}
	}
	var got done
	for range 10 { // the testbed may need a machine that is less busy
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), words, strings.NewReader(""), &stdout, &stderr)
		got = done{code, stdout.String(), stderr.String()}
		if !strings.Contains(got.stderr, "more rounds, or longer gaps, are needed") {
			break
		}
	}
	return got
}

// partwiseCommands are the names of the commands that write CSV.
func partwiseCommands() []string {
	var names []string
	partwise(nil).Every(func(name string, c cli.Command) {
		if slices.Contains(c.Formats, "csv") {
			names = append(names, name)
		}
	})
	return names
}
