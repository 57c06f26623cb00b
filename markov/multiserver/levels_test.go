package multiserver

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// Modes lose some digits more far out, and the bound of each level covers what they lose: here in a queue of thousands of phases.
func TestBoundsOfLevelsOfManyPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and is a matter of numbers")
	}
	t.Parallel()
	const servers = 12
	d1 := mat.NewDense(3, 3, []float64{.05, 0, 0, 0, .4, 0, 0, 0, 1.2})
	d0 := mat.NewDense(3, 3, []float64{-.07, .01, .01, .005, -.41, .005, .01, .02, -1.23})
	d0.Scale(.45, d0) // to a load of .78
	d1.Scale(.45, d1)
	rates := []float64{1, .1, 1. / 60, 1. / 300}
	service := mat.NewDense(4, 4, nil)
	for i, r := range rates {
		service.Set(i, i, -r)
	}
	q := &Queue{D0: d0, D1: d1, Servers: servers, Service: []Phases{{Alpha: []float64{.4, .3, .2, .1}, T: service}}}
	sol, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := sol.Diagnostics(); d.Method != SpectralExpansion || d.Phases <= crossCheckTo {
		t.Fatalf("%+v", d)
	}
	p, err := markov.LevelProbabilities(t.Context(), sol, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p {
		k := i - servers
		if bound := sol.Diagnostics().BoundAt(k); k > 0 && (sol.sensitivity.OfLevel(k) > bound || bound > 1e-8) {
			t.Errorf("level %d: bound %g, sensitivity %g", i, bound, sol.sensitivity.OfLevel(k))
			break
		}
	}
	t.Logf("%d levels, bounds %.1g and %.1g for each level", len(p), sol.Diagnostics().ErrorBound, sol.Diagnostics().ErrorPerLevel)
}
