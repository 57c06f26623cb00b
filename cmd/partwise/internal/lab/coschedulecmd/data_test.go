package coschedulecmd_test

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

	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
	"github.com/partwise/partwise/testdata/needs"
)

var (
	update = flag.Bool("update", false, "rewrite the claims of docs/zhang01.md; with -long the results in testdata/zhang as well")
	only   = flag.String("figures", "", "with -long: only these, separated by commas")
)

const directory = "../../../../../testdata/zhang"

// study returns the options with which results in testdata/zhang are made.
func study(f *coschedulecmd.Figure) coschedulecmd.Options {
	return coschedulecmd.Options{Seed: 1, Replications: 5, Jobs: f.Jobs}
}

// write stores the outcomes of a figure.
func write(t *testing.T, file string, outcomes []coschedulecmd.Outcome) {
	t.Helper()
	var b bytes.Buffer
	if err := coschedulecmd.Write(&b, outcomes); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read returns the outcomes of a figure as they are stored.
func read(t *testing.T, f *coschedulecmd.Figure) []coschedulecmd.Outcome {
	t.Helper()
	in, err := os.Open(filepath.Join(directory, "figure"+f.Name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	all, err := coschedulecmd.Read(in, f.Runs)
	if err != nil {
		t.Fatalf("%s: %v; -long -update makes it", in.Name(), err)
	}
	return all
}

// text returns outcomes as they are stored.
func text(t *testing.T, outcomes []coschedulecmd.Outcome) string {
	t.Helper()
	var b bytes.Buffer
	if err := coschedulecmd.Write(&b, outcomes); err != nil {
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
	known := map[string]coschedulecmd.Outcome{}
	for _, f := range coschedulecmd.Figures() {
		if viewed[f.Name] || *only != "" && !slices.Contains(strings.Split(*only, ","), f.Name) {
			continue
		}
		key := func(r coschedulecmd.Run) string {
			r.Case.Name = ""
			return fmt.Sprint(r, f.Jobs)
		}
		var missing []coschedulecmd.Run
		for _, r := range f.Runs {
			if _, ok := known[key(r)]; !ok {
				missing = append(missing, r)
			}
		}
		found, err := coschedulecmd.Simulate(t.Context(), missing, study(&f))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range found {
			known[key(o.Run)] = o
		}
		var all []coschedulecmd.Outcome
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
	all := coschedulecmd.Figures()
	f := all[slices.IndexFunc(all, func(f coschedulecmd.Figure) bool { return f.Name == "4" })]
	stored := read(t, &f)
	o := study(&f)
	o.Replications = 1
	for i, run := range f.Runs {
		if run.Case.Name != "wl4" || i%4 != 1 || i%8 != 1 && !needs.IsLong() {
			continue
		}
		found, err := coschedulecmd.Simulate(t.Context(), []coschedulecmd.Run{run}, o)
		if err != nil {
			t.Fatal(err)
		}
		stored[i].Replications = stored[i].Replications[:1]
		if diff := cmp.Diff(text(t, stored[i:i+1]), text(t, found)); diff != "" {
			t.Errorf("%s, %s: not what is simulated now; -long -update rewrites it\n%s", run.Case.Name, run.Policy, diff)
		}
	}
}

// shown are the pictures of docs/zhang01.md, by figure, with the figure whose results they show.
var shown = map[string]string{"saturation": "saturation", "3": "3", "4": "4", "table4": "table4", "6": "6", "7": "7", "8": "8", "9": "9",
	"11": "11", "12": "11", "13": "11", "15": "15"}

// TestPictures: the pictures of docs/zhang01.md show what is stored; -update draws them.
func TestPictures(t *testing.T) {
	for _, f := range coschedulecmd.Figures() {
		of, ok := shown[f.Name]
		if !ok {
			continue
		}
		results := f
		results.Name = of
		var b bytes.Buffer
		if err := coschedulecmd.Draw(&b, f, read(t, &results)); err != nil {
			t.Fatal(err)
		}
		name := f.Name
		if name[0] <= '9' {
			name = "figure" + name
		}
		picture := "../../../../../docs/img/zhang01-" + name + ".svg"
		if *update {
			if err := os.WriteFile(picture, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(picture); err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s is not what is drawn now, %v; -update draws it", picture, err)
		}
	}
}

func BenchmarkFigures(b *testing.B) {
	for b.Loop() {
		coschedulecmd.Figures()
	}
}
