package modelfile_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/partwise/partwise/models/modelfile"
)

// TestResampler: the same sample of the same seed is the same model, others differ. A model that fits nothing cannot be
// drawn again. The times are such that different draws have different means.
func TestResampler(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"times.csv": "t,n\n1.0001,2\n4.001,1\n2.01,5\n9.1,1\n3.00001,2\n5.000001,1\n12.0000001,1\n",
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

// TestResamplerDrawsObservations draws a table of two rows again, 900 observations of 1 and 100 observations of 10. The
// mean of 1,000 observations has the standard deviation σ/√1000, with σ² = .9·.1·9².
func TestResamplerDrawsObservations(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"times.csv": "t,n\n1,900\n10,100\n",
		"m.yaml": `version: 1
machine: {nodes: 2}
arrivals: {rate: 0.1}
jobs: {demand: {fit: {file: times.csv, column: t, weights: n, phases: 1}}, speedup: linear}
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
	again, err := m.Resampler(1)
	if err != nil {
		t.Fatal(err)
	}
	means := make([]float64, 300)
	for i := range means {
		drawn, err := again(i)
		if err != nil {
			t.Fatal(err)
		}
		means[i] = drawn.System.Demand.Mean()
	}
	mean, sd := stat.MeanStdDev(means, nil)
	want := math.Sqrt(.9*.1*81) / math.Sqrt(1000)
	// Four standard errors: σ/√300 of the mean, and σ/√600 of the standard deviation.
	if math.Abs(mean-1.9) > 4*want/math.Sqrt(300) || math.Abs(sd/want-1) > 4/math.Sqrt(600) {
		t.Errorf("means of observations drawn again: %v ± %v, want 1.9 ± %v", mean, sd, want)
	}
}
