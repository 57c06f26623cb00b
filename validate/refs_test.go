package validate_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
	"github.com/partwise/partwise/validate"
)

// reference is a model with the measures that an independent program found in 80-bit arithmetic.
type reference struct {
	Name     string
	Model    json.RawMessage
	Expected struct {
		Dynamic map[string]any
		Static  map[string]map[string]any
	}
}

func references(t *testing.T) map[string]reference {
	t.Helper()
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
		all[r.Name] = r
	}
	return all
}

func (r reference) system(t *testing.T) *models.System {
	t.Helper()
	m, err := modelfile.Parse(r.Name+".json", r.Model)
	if err != nil {
		t.Fatal(err)
	}
	return m.System
}

// agree holds what the simulation says of a policy against the expected values: mean response time and share of
// repartitions within four standard errors.
func agree(t *testing.T, s *models.System, p policy.Policy, expected map[string]any, o validate.Options) {
	t.Helper()
	if rho, _ := expected["traffic_intensity"].(float64); rho > 0.7+1e-9 {
		return
	}
	sim := simulate(t, s, p, o)
	t.Logf("%s: %d jobs, %.3g s, %.3g events/s", p, sim.Jobs, sim.Seconds, sim.EventsPerSecond)
	for _, e := range sim.Measures {
		want, ok := expected[e.Name].(float64)
		if !ok {
			continue
		}
		z := 0.0
		if e.Mean != want {
			z = (e.Mean - want) / e.StdErr
		}
		judged := e.Name == "mean_response_time" || e.Name == "probability_repartition"
		if judged && !(math.Abs(z) <= 4) {
			t.Errorf("%s %s = %v ± %v, want %v (z = %.2f)", p, e.Name, e.Mean, e.StdErr, want, z)
		} else if math.Abs(z) > 3.5 {
			t.Logf("%s %s = %v ± %v, expected %v (z = %.2f)", p, e.Name, e.Mean, e.StdErr, want, z)
		}
	}
}

func TestReferenceInstances(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	// The short form of TestReferenceStudy. Without -long it takes every second instance; static partitions, which take the
	// same way through the simulator in all instances, are those of one instance in four.
	o := validate.Options{Seed: 1, Precision: coarse(0.02), Replications: few(32)}
	coarse := validate.Options{Seed: 1, Precision: coarse(0.04), Replications: few(32)}
	all := references(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%2 != 0 && !needs.IsLong() {
			continue
		}
		r := all[name]
		t.Run(name, func(t *testing.T) {
			s := r.system(t)
			agree(t, s, dynamic, r.Expected.Dynamic, o)
			if i%4 != 0 && !needs.IsLong() {
				return
			}
			for key, expected := range r.Expected.Static {
				k, err := strconv.Atoi(key)
				if err != nil {
					t.Fatal(err)
				}
				agree(t, s, static(k), expected, coarse)
			}
		})
	}
}
