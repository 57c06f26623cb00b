package modelfile

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

func TestMAPFile(t *testing.T) {
	d0 := mat.NewDense(2, 2, []float64{-1.1, 0.1, 0.3, -2.3})
	m, err := phasetype.NewMAP(d0, mat.NewDense(2, 2, []float64{1, 0, 0.5, 1.5}))
	if err != nil {
		t.Fatal(err)
	}
	hour, err := measure.TimeUnitNamed("h")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteDistribution(&b, hour, phasetype.Dist{}, m, nil); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{
		"a.map.json": b.String(),
		"m.yaml":     strings.Replace(small, "{rate: 1}", "{map: {file: a.map.json}}", 1)})
	model, err := Load(filepath.Join(dir, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "rate per second", model.System.Arrivals.Rate(), m.Rate()/3600)
}

func TestDistFileUnit(t *testing.T) {
	dir := folder(t, map[string]string{
		"d/x.ph.json": `{"version": 1, "kind": "phase_type", "time_unit": "min", "alpha": [1], "T": [[-0.5]], "fit": {"family": "cf1"}}`,
		"m.yaml":      strings.Replace(small, "{exponential: {mean: 1}}", "{file: d/x.ph.json}", 1)})
	m, err := Load(filepath.Join(dir, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean in seconds", m.System.Demand.Mean(), 120)
}

func TestFileOfAnotherKind(t *testing.T) {
	dir := folder(t, map[string]string{
		"x.ph.json": `{"version": 1, "kind": "map", "time_unit": "s", "D0": [[-1]], "D1": [[1]]}`,
		"m.yaml":    strings.Replace(small, "{exponential: {mean: 1}}", "{file: x.ph.json}", 1)})
	const want = "m.yaml:4:23: jobs.demand.file: DIR/x.ph.json holds a map, not a phase_type"
	if _, err := Load(filepath.Join(dir, "m.yaml")); err == nil || plainPaths(err.Error(), dir) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWrongFile(t *testing.T) {
	dir := folder(t, map[string]string{
		"x.ph.json": `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1, 0], "T": [[-1, 1], [3, -2]]}`,
		"m.yaml":    strings.Replace(small, "{exponential: {mean: 1}}", "{file: x.ph.json}", 1)})
	const want = "x.ph.json:1:88: T[1]: row sums to 1; it must not be positive"
	if _, err := Load(filepath.Join(dir, "m.yaml")); err == nil || plainPaths(err.Error(), dir) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
