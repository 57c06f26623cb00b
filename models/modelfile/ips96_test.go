package modelfile

import (
	"encoding/csv"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/refs"
)

// class is an application class: a + w/n + g·(n−1) seconds on n nodes.
type class struct{ a, w, g float64 }

func (c class) time(n float64) float64 { return c.a + c.w/n + c.g*(n-1) }

// scenario recomputes the means that the files under testdata/ips96 carry, from the formulas in their comments.
func scenario(workload, machine string, i int) float64 {
	classes := []class{{1, 28, .15}, {25, 150, 1}, {20, 600, 3}, {5, 3600, .1}}
	mix := map[string][]float64{"w1": {0, .2339, .274, .491}, "w2": {0, .66, .34, 0}, "w3": {1, 0, 0, 0}}[workload]
	var mean, total float64
	for k, c := range classes {
		if machine == "now" {
			c = class{c.a * 133 / 62, c.w * 133 / 62, c.g * 3}
		}
		mean += mix[k] * c.time(8/float64(i))
		total += mix[k]
	}
	return mean / total
}

func TestIPS96Models(t *testing.T) {
	scv := map[string]float64{"w1": .73 * .73, "w2": .95 * .95, "w3": .25}
	shrink := map[string][]float64{
		"now": {0, 13, 13, 10.5, 3.6, 3.2, 3, 2.8},
		"sp2": {0, 3.4, 3.5, 3, 1.8, 1.6, 1.5, 1.4},
	}
	expand := map[string][]float64{
		"now": {16, 15.5, 13, 4.6, 4.2, 3.9, 3.6},
		"sp2": {4.2, 4.1, 3.6, 2.3, 2.1, 1.95, 1.8},
	}
	for _, w := range []string{"w1", "w2", "w3"} {
		for _, machine := range []string{"now", "sp2"} {
			for suffix, factor := range map[string]float64{"": 1, "-2cv": 4} {
				file := "../../testdata/ips96/" + w + "-" + machine + suffix + ".yaml"
				m, err := Load(file)
				if err != nil {
					t.Error(err)
					continue
				}
				for i := 1; i <= 8; i++ {
					b := m.System.Service[i-1]
					near(t, file+" mean", b.Mean(), scenario(w, machine, i))
					// Two moments of order one, whose difference has lost at most a digit.
					if got, want := b.SCV(), scv[w]*factor; math.Abs(got-want) > 1e-14*10*want {
						t.Errorf("%s: scv %.17g, want %.17g", file, got, want)
					}
					near(t, file+" shrink", m.System.ShrinkTo(i).Mean(), shrink[machine][i-1])
					if i < 8 {
						near(t, file+" expand", m.System.ExpandTo(i).Mean(), expand[machine][i-1])
					}
				}
			}
		}
	}
}

func TestIPS96Studies(t *testing.T) {
	for _, w := range []string{"w1", "w2", "w3"} {
		s, err := LoadStudy("../../testdata/ips96/" + w + ".yaml")
		if err != nil {
			t.Error(err)
			continue
		}
		if len(s.Loads) != 49 || s.Loads[0] != 0.02 || s.Loads[48] != 0.98 || s.Loads[14] != 0.3 {
			t.Errorf("%s: loads %v", w, s.Loads)
		}
		if len(s.Series) != 6 || s.Reference == nil {
			t.Fatalf("%s: %d series", w, len(s.Series))
		}
		for i, scv := range []float64{1, 9, 1, 1, 9, 1} {
			if got := s.Series[i].Model.System.Arrivals.SCV(); math.Abs(got-scv) > 1e-12 {
				t.Errorf("%s: %s: arrivals of scv %v, want %v", w, s.Series[i].Name, got, scv)
			}
		}
	}
}

// TestIPS96Capacity compares the arrival rates of the studies with those of an independent program.
func TestIPS96Capacity(t *testing.T) {
	files, err := fs.Glob(refs.Files, "ips96/*.csv")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d curves of the independent program, %v", len(files), err)
	}
	for _, f := range files {
		workload := strings.ToLower(path.Base(f)[:2])
		s, err := LoadStudy("../../testdata/ips96/" + workload + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		r, err := refs.Files.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(r).ReadAll()
		r.Close()
		if err != nil || len(rows) != len(s.Loads)+1 {
			t.Fatalf("%s: %d rows, %v", f, len(rows), err)
		}
		for i, load := range s.Loads {
			u, errU := strconv.ParseFloat(rows[i+1][3], 64)
			lambda, errLambda := strconv.ParseFloat(rows[i+1][4], 64)
			if errU != nil || errLambda != nil || math.Abs(u-load) > 1e-12 {
				t.Fatalf("%s:%d: load %v, want %v", f, i+2, u, load)
			}
			// Both are rounded sums of a few terms.
			if got := load * s.Reference.System.Capacity(); math.Abs(got-lambda) > 1e-12*lambda {
				t.Errorf("%s: rate %.17g at load %v, want %.17g", f, got, load, lambda)
			}
		}
	}
}
