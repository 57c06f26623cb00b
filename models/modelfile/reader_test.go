package modelfile_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
)

// root returns the cursor on a text that must be right, with times in hours, and where mistakes are noted.
func root(t *testing.T, name, text string) (*modelfile.Cursor, *modelfile.Collector) {
	t.Helper()
	errs := new(modelfile.Collector)
	n := modelfile.ReadTree(name, []byte(text), errs)
	if n == nil {
		t.Fatal(errs.Err())
	}
	hour, _ := measure.TimeUnitNamed("h")
	return modelfile.Root(n, errs).In(hour), errs
}

// TestEveryFamilyIsRead: each key of a distribution is known, and nothing beside it.
func TestEveryFamilyIsRead(t *testing.T) {
	for _, name := range modelfile.Families() {
		c, errs := root(t, "m.yaml", name+": {nonsense: 1}")
		if modelfile.NewDistributionReader().Dist(c); c.Valid() || errs.Noted() == 0 {
			t.Errorf("%s: %v", name, errs.Err())
		} else if text := errs.Err().Error(); !strings.HasPrefix(text, "m.yaml:1:") || !strings.Contains(text, name) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestFitsAreShared: models that share measurements fit them once, whatever their unit of time.
func TestFitsAreShared(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(file, []byte("1\n2\n3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := modelfile.NewDistributionReader()
	text := "fit: {file: x.csv, phases: 1, unit: min}"
	c, errs := root(t, filepath.Join(dir, "m.yaml"), text)
	first := r.Dist(c)
	if !c.Valid() {
		t.Fatal(errs.Err())
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	second := r.Dist(c.In(measure.Second()))
	if !c.Valid() {
		t.Fatal("the fit was made again:", errs.Err())
	}
	// one fit, of mean 2 minutes to the tolerance of the ascent, in two units
	if ratio := second.Mean() / first.Mean(); math.Abs(ratio-3600) > 1e-9 || math.Abs(second.Mean()-120) > 1e-4 {
		t.Errorf("means %v h and %v s", first.Mean(), second.Mean())
	}
	if files := r.Files(); len(files) != 1 || files[0] != file {
		t.Errorf("files %v", files)
	}
}

func ExampleParseDistribution() {
	errs := new(modelfile.Collector)
	n := modelfile.ReadTree("m.yaml", []byte("sum: [{erlang: {mean: 30s, phases: 2}}, {exponential: {mean: 1min}}]"), errs)
	if dist := modelfile.NewDistributionReader().Dist(modelfile.Root(n, errs)); dist.Phases() > 0 {
		fmt.Printf("mean %g s, scv %.3f\n", dist.Mean(), dist.SCV())
	}
	// Output: mean 90 s, scv 0.500
}

func ExampleWriteDistribution() {
	d := phasetype.Must(phasetype.Erlang(2, 0.3))
	if err := modelfile.WriteDistribution(os.Stdout, measure.Second(), d, phasetype.MAP{}, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"version":1,"kind":"phase_type","time_unit":"s","alpha":[1,0],"T":[[-6.666666666666667,6.666666666666667],[0,-6.666666666666667]]}
}
