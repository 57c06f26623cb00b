package spec

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/phasetype"
	_ "github.com/partwise/partwise/validate/draws"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestDistFileExact checks that what is written is read back bit by bit.
func TestDistFileExact(t *testing.T) {
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
		scores := ScoresOf(fit.Candidate{
			Family: fit.CF1, Phases: n, Scores: fit.Scores{LogLikelihood: -math.Pi}, Converged: true,
		})
		if err := WriteDist(&b, Second, d, scores); err != nil {
			t.Fatal(err)
		}
		f, err := ParseDist("x.ph.json", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind != KindPhaseType || f.TimeUnit != Second || !mat.Equal(f.Dist.T(), d.T()) {
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
	d0 := mat.NewDense(2, 2, []float64{-1.1, 0.1, 0.3, -2.3})
	m, err := phasetype.NewMAP(d0, mat.NewDense(2, 2, []float64{1, 0, 0.5, 1.5}))
	if err != nil {
		t.Fatal(err)
	}
	hour, err := UnitByName("h")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteMAP(&b, hour, m, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "fit") {
		t.Errorf("scores of nothing: %s", b.String())
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

func TestWrongDistFiles(t *testing.T) {
	right := `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1, 0], "T": [[-1, 1], [0, -2]]}`
	for _, c := range []struct{ old, new, want string }{
		{"[0, -2]", "[3, -2]", "x.ph.json:1:88: T[1]: row sums to 1; it must not be positive"},
		{"[0, -2]", "[0, 2]", "x.ph.json:1:92: T[1][1]: the diagonal must be negative, got 2"},
		{`"T"`, `"t"`, `x.ph.json:1:73: t: unknown field; did you mean "T"?`},
		{`"phase_type"`, `"map"`, "x.ph.json:1:58: alpha: does not belong to kind map; use D0 or D1"},
		{`"phase_type"`, `"ph"`, `x.ph.json:1:24: kind: expected a kind, got "ph"; use phase_type or map`},
		{`"version": 1`, `"version": 2`, "x.ph.json:1:13: version: version 2 is not known; this program reads version 1"},
		{`"time_unit": "s", `, "", "x.ph.json:1:1: time_unit: is missing; name the unit of its times"},
		{`right`, `right`, "m.yaml:4:23: jobs.demand.file: DIR/x.ph.json holds a map, not a phase_type"},
	} {
		text := strings.Replace(right, c.old, c.new, 1)
		if c.old == "right" {
			text = `{"version": 1, "kind": "map", "time_unit": "s", "D0": [[-1]], "D1": [[1]]}`
		}
		dir := folder(t, map[string]string{"x.ph.json": text,
			"m.yaml": strings.Replace(small, "{exponential: {mean: 1}}", "{file: x.ph.json}", 1)})
		_, err := Load(filepath.Join(dir, "m.yaml"))
		if err == nil {
			t.Errorf("accepted %s", text)
		} else if got := plainPaths(err.Error(), dir); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.new, got, c.want)
		}
	}
	if err := WriteDist(&bytes.Buffer{}, Second, phasetype.Dist{}, nil); err == nil {
		t.Error("a distribution without phases was written")
	}
}
