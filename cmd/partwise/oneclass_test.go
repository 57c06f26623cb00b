package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list of one class that can use all nodes is the model without classes: all commands print the same numbers, to the last
// digit, beside what they say of the class.
func TestOneClassIsNoClass(t *testing.T) {
	t.Parallel()
	const frame = `machine: {nodes: 8, min_nodes: 2}
arrivals: {interarrival: {hyperexponential: {mean: 1, scv: 3}}, load: 0.6}
jobs: JOBS
dynamic: {stops: STOPS, overhead: {erlang: {mean: 6, phases: 2}}}
static: {setup: {exponential: {mean: 5}}}
`
	const job = "demand: {moments: {mean: 300, scv: 2}}, speedup: {amdahl: {serial: 0.02}}"
	for _, stops := range []string{"all", "resized"} {
		file := func(name, jobs string) string {
			path := filepath.Join(t.TempDir(), name)
			text := strings.NewReplacer("JOBS", jobs, "STOPS", stops).Replace(frame)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
		plain := file("model.yaml", "{"+job+"}")
		class := file("model.yaml", "{classes: [{name: one, share: 2, "+job+"}]}")
		for _, args := range [][]string{
			{"solve", "--percentiles", "--set", "machine.min_nodes=4", "--load", "0.3"}, // two partitions: the chain of tagged jobs is large
			{"curve", "--load", "0.2,0.8"},
			{"sweep", "--over", "dynamic.overhead=0s,9s", "--policy", "dynamic"},
			{"breakeven", "--over", "overhead"},
			{"solve", "--sensitivity"},
			{"simulate", "--jobs", "2000000", "--precision", "90%", "--seed", "3", "--policy", "dynamic", "--policy", "static:2"},
		} {
			if stops == "resized" && slices.Contains(args, "--percentiles") {
				args = args[:1]
			}
			want, got := numbersOf(t, append(args, plain)), numbersOf(t, append(args, class))
			if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
				t.Errorf("%s stop, %s (-without classes +one class):\n%s", stops, strings.Join(args, " "), diff)
			}
		}
	}
}

// numbersOf returns the rows of CSV that are not of a class, without columns of classes and of the time that it took.
func numbersOf(t *testing.T, args []string) (rows []string) {
	t.Helper()
	c := runIn(t.Context(), slices.Concat(args, []string{"--format", "csv"})...)
	if c.code != 0 {
		t.Fatalf("%s: exit code %d: %s", strings.Join(args, " "), c.code, &c.stderr)
	}
	all, err := csv.NewReader(&c.stdout).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := all[0]
	class := slices.Index(head, "class")
	for _, row := range all {
		if class >= 0 && row[class] != "" && row[class] != "class" ||
			slices.ContainsFunc(row, func(s string) bool { return strings.HasSuffix(s, "seconds") || s == "events_per_second" }) && !slices.Equal(row, head) {
			continue
		}
		var kept []string
		for i, v := range row {
			if i != class && !strings.HasSuffix(head[i], "_one") && !strings.Contains(head[i], "second") {
				kept = append(kept, v)
			}
		}
		rows = append(rows, strings.Join(kept, ","))
	}
	return rows
}
