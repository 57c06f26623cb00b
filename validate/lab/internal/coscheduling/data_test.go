package coscheduling_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/zhang"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

var (
	update = flag.Bool("update", false, "rewrite the claims of docs/zhang01.md; with -long the results in testdata/zhang as well")
	only   = flag.String("figures", "", "with -long: only these, separated by commas")
)

const directory = "../../../../testdata/zhang"

// study returns the options with which results in testdata/zhang are made.
func study(f *coscheduling.Figure) coscheduling.Options {
	return coscheduling.Options{Seed: 1, Replications: 5, Jobs: f.Jobs}
}

// write stores the outcomes of a figure.
func write(t *testing.T, file string, outcomes []coscheduling.Outcome) {
	t.Helper()
	var b bytes.Buffer
	if err := zhang.Write(&b, outcomes); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read returns the outcomes of a figure as they are stored.
func read(t *testing.T, f *coscheduling.Figure) []coscheduling.Outcome {
	t.Helper()
	in, err := os.Open(filepath.Join(directory, "figure"+f.Name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	all, err := zhang.Read(in, f.Runs)
	if err != nil {
		t.Fatalf("%s: %v; -long -update makes it", in.Name(), err)
	}
	return all
}

// text returns outcomes as they are stored.
func text(t *testing.T, outcomes []coscheduling.Outcome) string {
	t.Helper()
	var b bytes.Buffer
	if err := zhang.Write(&b, outcomes); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// viewed are figures whose runs other figures have, too.
var viewed = map[string]bool{"5": true, "12": true, "13": true}

// TestFigures simulates all figures and holds what is stored to that, or stores it. Runs that several figures have are
// simulated once.
func TestFigures(t *testing.T) {
	needs.Study(t, "simulates every figure, which takes most of an hour")
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
		if diff := cmp.Diff(text(t, read(t, &f)), text(t, all)); diff != "" {
			t.Errorf("%s is not what is simulated now; -long -update rewrites it\n%s", file, diff)
		}
	}
}

// TestStoredFiguresAreCurrent simulates one replication of a few runs anew, of twice as many with -long: what is stored comes from
// this program.
func TestStoredFiguresAreCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	all := coscheduling.Figures()
	f := all[slices.IndexFunc(all, func(f coscheduling.Figure) bool { return f.Name == "4" })]
	stored := read(t, &f)
	o := study(&f)
	o.Replications = 1
	for i, run := range f.Runs {
		if run.Case.Name != "wl4" || i%4 != 1 || i%8 != 1 && !needs.IsLong() {
			continue
		}
		found, err := coscheduling.Simulate(t.Context(), []coscheduling.Run{run}, o)
		if err != nil {
			t.Fatal(err)
		}
		stored[i].Replications = stored[i].Replications[:1]
		if diff := cmp.Diff(text(t, stored[i:i+1]), text(t, found)); diff != "" {
			t.Errorf("%s, %s: not what is simulated now; -long -update rewrites it\n%s", run.Case.Name, run.Policy, diff)
		}
	}
}

func BenchmarkFigures(b *testing.B) {
	for b.Loop() {
		coscheduling.Figures()
	}
}
