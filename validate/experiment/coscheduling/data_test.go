package coscheduling_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

var (
	update = flag.Bool("update", false, "rewrite the claims of docs/zhang01.md; with -long the results in testdata/zhang as well")
	long   = flag.Bool("long", false, "simulate all figures, which takes most of an hour")
	only   = flag.String("figures", "", "with -long: only these, separated by commas")
)

const directory = "../../../testdata/zhang"

// study returns the options with which results in testdata/zhang are made.
func study(f *coscheduling.Figure) coscheduling.Options {
	return coscheduling.Options{Seed: 1, Replications: 5, Jobs: f.Jobs}
}

// digits are those that results are stored with: more than their intervals have, by far.
const digits = 7

// write stores the outcomes of a figure, a row for each replication.
func write(t *testing.T, file string, outcomes []coscheduling.Outcome) {
	t.Helper()
	rows := [][]string{{"case", "policy", "replication", "unfinished", "events", "sums", "boosts by state", "boosts by position"}}
	for i := range outcomes {
		o := &outcomes[i]
		for k := range o.Replications {
			s := &o.Replications[k]
			rows = append(rows, []string{o.Case.Name, o.Policy.String(), strconv.Itoa(k), strconv.Itoa(s.Unfinished),
				strconv.FormatInt(s.Events, 10), join(s.Values), join(s.ByState[:]), join(s.ByPosition)})
		}
	}
	var b strings.Builder
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func join[T float64 | int64](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(float64(v), 'g', digits, 64)
	}
	return strings.Join(words, " ")
}

// read returns the outcomes of a figure as they are stored.
func read(t *testing.T, f *coscheduling.Figure) []coscheduling.Outcome {
	t.Helper()
	in, err := os.Open(filepath.Join(directory, "figure"+f.Name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	o := study(f)
	if len(rows) != o.Replications*len(f.Runs) {
		t.Fatalf("figure %s: %d rows for %d runs; -long -update makes them", f.Name, len(rows), len(f.Runs))
	}
	var all []coscheduling.Outcome
	for i, run := range f.Runs {
		out := coscheduling.Outcome{Run: run, Confidence: .95}
		for _, row := range rows[i*o.Replications : (i+1)*o.Replications] {
			if row[0] != run.Case.Name || row[1] != run.Policy.String() {
				t.Fatalf("figure %s: %v is not of %s, %s; -long -update makes it", f.Name, row[:2], run.Case.Name, run.Policy)
			}
			var s coscheduling.Sums
			s.Unfinished, _ = strconv.Atoi(row[3])
			s.Events, _ = strconv.ParseInt(row[4], 10, 64)
			s.Values = numbers(t, row[5])
			for k, v := range numbers(t, row[6]) {
				s.ByState[k] = int64(v)
			}
			for _, v := range numbers(t, row[7]) {
				s.ByPosition = append(s.ByPosition, int64(v))
			}
			out.Replications = append(out.Replications, s)
		}
		all = append(all, out)
	}
	return all
}

func numbers(t *testing.T, text string) (all []float64) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// viewed are figures whose runs other figures have, too.
var viewed = map[string]bool{"5": true, "12": true, "13": true}

// TestFigures simulates all figures and holds what is stored to that, or stores it. Runs that several figures have are
// simulated once.
func TestFigures(t *testing.T) {
	if !*long {
		t.Skip("most of an hour: with -long")
	}
	known := map[string]coscheduling.Outcome{}
	for _, f := range coscheduling.Figures() {
		if viewed[f.Name] || *only != "" && !slices.Contains(strings.Split(*only, ","), f.Name) {
			continue
		}
		key := func(r coscheduling.Run) string {
			r.Case.Name = ""
			return fmt.Sprint(r, f.Jobs)
		}
		var missing []coscheduling.Run
		for _, r := range f.Runs {
			if _, ok := known[key(r)]; !ok {
				missing = append(missing, r)
			}
		}
		found, err := coscheduling.Simulate(t.Context(), missing, study(&f))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range found {
			known[key(o.Run)] = o
		}
		var all []coscheduling.Outcome
		for _, r := range f.Runs {
			o := known[key(r)]
			o.Run = r
			all = append(all, o)
		}
		file := filepath.Join(directory, "figure"+f.Name+".csv")
		if *update {
			write(t, file, all)
			continue
		}
		again := filepath.Join(t.TempDir(), "again.csv")
		write(t, again, all)
		same(t, file, again)
	}
}

func same(t *testing.T, file, again string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s is not what is simulated now; -long -update rewrites it", file)
	}
}

// TestStoredFiguresAreCurrent simulates one replication of a few runs anew: what is stored comes from this program.
func TestStoredFiguresAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	f, err := coscheduling.FigureNamed("4")
	if err != nil {
		t.Fatal(err)
	}
	stored := read(t, &f)
	o := study(&f)
	o.Replications = 1
	for i, run := range f.Runs {
		if run.Case.Name != "wl4" || i%4 != 1 {
			continue
		}
		found, err := coscheduling.Simulate(t.Context(), []coscheduling.Run{run}, o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := join(found[0].Replications[0].Values), join(stored[i].Replications[0].Values); got != want {
			t.Errorf("%s, %s: %s, stored %s; -long -update rewrites it", run.Case.Name, run.Policy, got, want)
		}
	}
}
