package modelfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/partwise/partwise/models/modelfile"
)

// The same sample of the same seed is the same model, others differ; a model that fits nothing cannot be drawn again.
func TestResampler(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"times.csv": "t,n\n1,2\n4,1\n2,5\n9,1\n3,2\n5,1\n12,1\n",
		"m.yaml": `version: 1
machine: {nodes: 2}
arrivals: {rate: 0.1}
jobs: {demand: {fit: {file: times.csv, column: t, weights: n, phases: 2, family: hyperexponential}}, speedup: linear}
`,
		"fixed.yaml": `version: 1
machine: {nodes: 2}
arrivals: {rate: 0.1}
jobs: {demand: {exponential: {mean: 1}}, speedup: linear}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := modelfile.Load(filepath.Join(dir, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	mean := func(seed uint64, i int) float64 {
		again, err := m.Resampler(seed)
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := again(i)
		if err != nil {
			t.Fatal(err)
		}
		return drawn.System.Demand.Mean()
	}
	if mean(1, 0) != mean(1, 0) || mean(1, 0) == mean(1, 1) || mean(1, 0) == mean(2, 0) {
		t.Errorf("means %v, %v, %v, %v", mean(1, 0), mean(1, 0), mean(1, 1), mean(2, 0))
	}
	fixed, err := modelfile.Load(filepath.Join(dir, "fixed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fixed.Resampler(1); !errors.Is(err, modelfile.ErrNothingFitted) {
		t.Errorf("nothing is fitted: %v", err)
	}
}
