package models_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"path"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
)

// The reference instances were solved in 80-bit arithmetic by an independent program. Measures agree to nine digits and
// probabilities to ten decimals: what double precision leaves of them after sums over some thousand states at loads up
// to .9, with two digits to spare.
const (
	relTol  = 1e-9
	probTol = 1e-10
)

type reference struct {
	Name     string
	Model    json.RawMessage
	Expected struct {
		ArrivalRate float64 `json:"arrival_rate"`
		Dynamic     map[string]any
		Static      map[string]map[string]any
	}
}

func references(t testing.TB) map[string]reference {
	files, err := fs.Glob(refs.Files, "models/*.json")
	if err != nil || len(files) != 14 {
		t.Fatalf("%d reference instances, %v", len(files), err)
	}
	all := map[string]reference{}
	for _, f := range files {
		data, err := refs.Files.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var r reference
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all[strings.TrimSuffix(path.Base(f), ".json")] = r
	}
	return all
}

func (r reference) system(t testing.TB) *models.System {
	m, err := modelfile.Parse(r.Name+".json", r.Model)
	if err != nil {
		t.Fatal(err)
	}
	return m.System
}

// policies returns the expected measures by policy.
func (r reference) policies(t testing.TB) map[policy.Policy]map[string]any {
	out := map[policy.Policy]map[string]any{policy.Dynamic{}: r.Expected.Dynamic}
	for k, want := range r.Expected.Static {
		out[parsed(t, "static:"+k)] = want
	}
	return out
}

func TestReferenceInstances(t *testing.T) {
	needs.Concurrency(t)
	for name, r := range references(t) {
		t.Run(name, func(t *testing.T) {
			sys := r.system(t)
			if got := sys.Arrivals.Rate(); math.Abs(got/r.Expected.ArrivalRate-1) > 1e-13 {
				t.Errorf("arrival rate %v, want %v", got, r.Expected.ArrivalRate)
			}
			for p, want := range r.policies(t) {
				for _, method := range multiserver.Methods() {
					model, err := sys.Chain(p)
					if err != nil {
						t.Fatal(err)
					}
					m, err := model.Solve(t.Context(), markov.Settings{Method: method})
					if errors.Is(err, markov.ErrMethod) && method == multiserver.SpectralExpansion {
						continue
					}
					if err != nil {
						t.Errorf("%v, %s: %v", p, method, err)
						continue
					}
					compare(t, p.String()+", "+method, m, want)
				}
			}
		})
	}
}

func compare(t *testing.T, label string, m models.Measures, want map[string]any) {
	if stable := want["stable"].(bool); m.Stable != stable {
		t.Errorf("%s: stable %v, want %v", label, m.Stable, stable)
	}
	seen := 0
	for _, q := range models.Table() {
		w, ok := want[q.Name].(float64)
		if !ok {
			continue
		}
		seen++
		got, ok := m.Of(q.Name)
		if !ok {
			t.Errorf("%s: %s is missing", label, q.Name)
			continue
		}
		tol := relTol * math.Abs(w)
		if strings.HasPrefix(q.Name, "probability") {
			tol = probTol
		}
		if math.Abs(got-w) > tol {
			t.Errorf("%s: %s = %.15g, want %.15g (off by %.1e)", label, q.Name, got, w, got-w)
		}
	}
	for name, v := range want {
		if _, isNumber := v.(float64); isNumber && !inTable(name) {
			t.Errorf("%s: nothing computes %s", label, name)
		}
	}
	if m.Stable && seen < 10 {
		t.Errorf("%s: only %d measures were compared", label, seen)
	}
	levels, _ := want["level_probabilities"].([]any)
	got, err := m.LevelProbabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range levels {
		if math.Abs(got[i]-w.(float64)) > probTol {
			t.Errorf("%s: P(%d) = %v, want %v", label, i, got[i], w)
		}
	}
}

func inTable(name string) bool {
	for _, q := range models.Table() {
		if q.Name == name {
			return true
		}
	}
	return false
}
