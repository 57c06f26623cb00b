package modelfile_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/phasetype"
	_ "github.com/partwise/partwise/testdata/phtest"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// FuzzDistributionFile: a file that is read without a mistake is a distribution or a process, all of it: written again it is read as
// the same, bit by bit.
func FuzzDistributionFile(f *testing.F) {
	f.Add(`{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [0.5, 0.5], "T": [[-2, 1], [0, -3]]}`)
	f.Add(`{"version": 1, "kind": "map", "time_unit": "min", "D0": [[-2, 1], [0, -3]], "D1": [[1, 0], [1, 2]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		one, err := modelfile.ParseDistribution("d.json", []byte(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if one.Kind == modelfile.KindMAP {
			err = modelfile.WriteDistribution(&b, one.TimeUnit, phasetype.Dist{}, one.MAP, nil)
		} else {
			err = modelfile.WriteDistribution(&b, one.TimeUnit, one.Dist, phasetype.MAP{}, nil)
		}
		if err != nil {
			t.Fatalf("%q cannot be written: %v", text, err)
		}
		first := b.String()
		again, err := modelfile.ParseDistribution("again.json", []byte(first))
		if err != nil {
			t.Fatalf("%q written as %q: %v", text, first, err)
		}
		b.Reset()
		if one.Kind == modelfile.KindMAP {
			err = modelfile.WriteDistribution(&b, again.TimeUnit, phasetype.Dist{}, again.MAP, nil)
		} else {
			err = modelfile.WriteDistribution(&b, again.TimeUnit, again.Dist, phasetype.MAP{}, nil)
		}
		if err != nil || b.String() != first {
			t.Fatalf("%q written as %q, and again as %q, %v", text, first, &b, err)
		}
	})
}

// TestFileExact checks that what is written is read back bit by bit.
func TestFileExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		alpha, rows := make([]float64, n), mat.NewDense(n, n, nil)
		for i := range n {
			alpha[i] = rapid.Float64Range(0.01, 1).Draw(t, "alpha") / float64(n)
			for j := range n {
				if i != j {
					rows.Set(i, j, rapid.Float64Range(0, 10).Draw(t, "rate"))
				}
			}
			var out float64
			for j := range n {
				out += rows.At(i, j)
			}
			rows.Set(i, i, -out-rapid.Float64Range(0.001, 1).Draw(t, "exit"))
		}
		d, err := phasetype.New(alpha, rows)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		scores := &modelfile.Scores{Fitted: fit.Fitted{Family: fit.CF1, Phases: n, Scores: fit.Scores{LogLikelihood: -math.Pi}, Converged: true}}
		if err := modelfile.WriteDistribution(&b, measure.Second(), d, phasetype.MAP{}, scores); err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.ParseDistribution("x.ph.json", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind != modelfile.KindPhaseType || f.TimeUnit != measure.Second() || !mat.Equal(f.Dist.T(), d.T()) {
			t.Fatalf("got %v, want %v", f, d)
		}
		for i, a := range f.Dist.Alpha() {
			if a != d.Alpha()[i] {
				t.Fatalf("alpha[%d] = %v, want %v", i, a, d.Alpha()[i])
			}
		}
	})
}

func TestMAPFile(t *testing.T) {
	m, err := phasetype.NewMAP(mat.NewDense(2, 2, []float64{-1.1, 0.1, 0.3, -2.3}), mat.NewDense(2, 2, []float64{1, 0, 0.5, 1.5}))
	if err != nil {
		t.Fatal(err)
	}
	hour, _ := measure.TimeUnitNamed("h")
	var b bytes.Buffer
	if err := modelfile.WriteDistribution(&b, hour, phasetype.Dist{}, m, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "fit") {
		t.Errorf("scores of nothing: %s", b.String())
	}
	f, err := modelfile.ParseDistribution("a.map.json", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind != modelfile.KindMAP || f.TimeUnit != hour || !mat.Equal(f.MAP.D0(), m.D0()) || !mat.Equal(f.MAP.D1(), m.D1()) {
		t.Errorf("got %v, want %v", f, m)
	}
}

func TestWrongFiles(t *testing.T) {
	right := `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1, 0], "T": [[-1, 1], [0, -2]]}`
	for _, c := range []struct{ old, new, want string }{
		{"[0, -2]", "[3, -2]", "x.ph.json:1:88: T[1]: row sums to 1; it must not be positive"},
		{"[0, -2]", "[0, 2]", "x.ph.json:1:92: T[1][1]: the diagonal must be negative, got 2"},
		{`"T"`, `"t"`, `x.ph.json:1:73: t: unknown field; did you mean "T"?`},
		{`"phase_type"`, `"map"`, "x.ph.json:1:58: alpha: does not belong to kind map; use D0 or D1"},
		{`"phase_type"`, `"ph"`, `x.ph.json:1:24: kind: expected a kind, got "ph"; use phase_type or map`},
		{`"version": 1`, `"version": 2`, "x.ph.json:1:13: version: version 2 is not known; this program reads version 1"},
		{`"time_unit": "s", `, "", "x.ph.json:1:1: time_unit: is missing; name the unit of its times"},
	} {
		text := strings.Replace(right, c.old, c.new, 1)
		if _, err := modelfile.ParseDistribution("x.ph.json", []byte(text)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.new, err, c.want)
		}
	}
	if err := modelfile.WriteDistribution(&bytes.Buffer{}, measure.Second(), phasetype.Dist{}, phasetype.MAP{}, nil); err == nil {
		t.Error("a distribution without phases was written")
	}
	if err := modelfile.WriteDistribution(&bytes.Buffer{}, measure.Second(), phasetype.Dist{}, phasetype.MAP{}, nil); err == nil {
		t.Error("an arrival process without phases was written")
	}
}
