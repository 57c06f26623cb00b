package multiserver

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/partwise/partwise/testdata/phtest"

	"github.com/partwise/partwise/markov/internal/block"
)

// drawMixtures draws a queue of mixtures of exponentials with rates over eight decades, phases of services that never begin,
// switch-overs, phases drawn anew and services that differ from level to level among them.
func drawMixtures(t *rapid.T) *Queue {
	rate := rapid.Map(rapid.Float64Range(-4, 4), func(e float64) float64 { return math.Pow(10, e) })
	weights := func(n int, label string) []float64 {
		w := make([]float64, n)
		total := 0.0
		for i := range w {
			w[i] = rapid.Float64Range(0, 1).Draw(t, label)
			if i == 0 || label == "arrivals" { // all phases of the arrivals begin
				w[i] += 0.1
			}
			total += w[i]
		}
		for i := range w {
			w[i] /= total
		}
		return w
	}
	mixture := func(n int, label string) Phases {
		p := Phases{Alpha: weights(n, label), T: mat.NewDense(n, n, nil), Exit: make([]float64, n)}
		for i := range n {
			p.Exit[i] = rate.Draw(t, label)
			p.T.(*mat.Dense).Set(i, i, -p.Exit[i])
		}
		return p
	}
	m := rapid.IntRange(1, 4).Draw(t, "phases")
	q := &Queue{Servers: rapid.IntRange(1, [...]int{0, 18, 18, 6, 4}[m]).Draw(t, "servers")}
	a := mixture(rapid.IntRange(1, 6).Draw(t, "arrival phases"), "arrivals")
	n := len(a.Alpha)
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		d0.Set(i, i, -a.Exit[i])
		for j := range n {
			d1.Set(i, j, a.Exit[i]*a.Alpha[j])
		}
	}
	q.D0, q.D1 = d0, d1
	differ := rapid.Bool().Draw(t, "services differ")
	for range q.Servers {
		if differ || len(q.Service) == 0 {
			q.Service = append(q.Service, mixture(m, "service"))
		}
	}
	if rapid.Bool().Draw(t, "switch-overs") {
		for range q.Servers {
			q.OnArrival = append(q.OnArrival, mixture(rapid.IntRange(1, 2).Draw(t, "phases"), "on arrival"))
			q.OnDeparture = append(q.OnDeparture, mixture(1, "on departure"))
		}
		q.OnDeparture = q.OnDeparture[:q.Servers-1]
	}
	if rapid.Bool().Draw(t, "phase map") {
		phi := mat.NewDense(m, m, nil)
		for i := range m {
			phi.SetRow(i, weights(m, "phase map"))
		}
		q.PhaseMap = func(int, int) mat.Matrix { return phi }
	}
	return q
}

// drawAcyclic is drawMixtures with arrivals of any classes and service in stages, some of which are left out.
func drawAcyclic(t *rapid.T) *Queue {
	q := drawMixtures(t)
	n, m := rapid.IntRange(1, 3).Draw(t, "arrival phases"), len(q.Service[0].Alpha)
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			d1.Set(i, j, rapid.Float64Range(0.1, 2).Draw(t, "D1"))
			if i != j {
				d0.Set(i, j, rapid.Float64Range(0, 1).Draw(t, "D0"))
			}
		}
	}
	q.D0, q.D1 = d0, d1
	if n > 1 {
		q.Servers = min(q.Servers, 7)
	}
	for k := range q.Service {
		p := &q.Service[k]
		for i := range m {
			if i+1 < m {
				rate := rapid.Float64Range(0, 10).Draw(t, "next stage") * p.Exit[i]
				p.T.(*mat.Dense).Set(i, i+1, rate)
				p.T.(*mat.Dense).Set(i, i, -p.Exit[i]-rate)
			}
		}
	}
	q.Service = q.Service[:min(len(q.Service), q.Servers)]
	q.OnArrival = q.OnArrival[:min(len(q.OnArrival), q.Servers)]
	q.OnDeparture = q.OnDeparture[:min(len(q.OnDeparture), q.Servers-1)]
	return q
}

// drawCyclic is drawAcyclic with rates back to the first stage.
func drawCyclic(t *rapid.T) *Queue {
	q := drawAcyclic(t)
	for k := range q.Service {
		p := &q.Service[k]
		for i := 1; i < len(p.Alpha); i++ {
			rate := rapid.Float64Range(0, 2).Draw(t, "back") * p.Exit[i]
			d := p.T.(*mat.Dense)
			d.Set(i, 0, rate)
			d.Set(i, i, d.At(i, i)-rate)
		}
	}
	return q
}

// least is the smallest number whose digits are compared: terms of smaller ones, products over many levels of rates
// that are eight decades apart, may underflow.
const least = 1e-140

// TestEliminationAgainstEntries: both ways to eliminate the levels add and multiply nonnegative numbers only, in
// different order, so that they agree to the roundings of single numbers: in each of c levels some fifty operations,
// sums over the r·K entries of the level, in forward elimination and back substitution of either way, and over the n·K
// states in service. An error that doubled from level to level would leave nothing of this.
func TestEliminationAgainstEntries(t *testing.T) {
	for _, c := range []struct {
		name      string
		draw      func(*rapid.T) *Queue
		eliminate func(*boundary, context.Context) error
	}{
		{"mixtures", drawMixtures, (*boundary).eliminateUpward},
		{"acyclic", drawAcyclic, (*boundary).eliminateUpward},
		{"cyclic", drawCyclic, (*boundary).eliminateUpward},
		{"thinned mixtures", drawMixtures, eliminateThinned},
		{"thinned", drawAcyclic, eliminateThinned},
		{"passes", drawAcyclic, eliminateSome},
		{"passes that do not settle", drawAcyclic, func(b *boundary, ctx context.Context) error {
			err := eliminateSome(b, ctx)
			b.pending = make([]float64, b.pendingSize())
			for i := range b.pending {
				b.pending[i] = math.NaN()
			}
			return err
		}},
		{"factored", drawAcyclic, func(b *boundary, ctx context.Context) error {
			b.factored = true
			return b.eliminateUpward(ctx)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { againstGeneralElimination(t, c.draw, c.eliminate) })
	}
}

// eliminateThinned keeps Y of every few levels.
func eliminateThinned(b *boundary, ctx context.Context) error {
	b.thin = true
	return b.eliminateUpward(ctx)
}

// eliminateSome leaves up to three levels to passes.
func eliminateSome(b *boundary, ctx context.Context) error {
	b.top, b.factored = min(b.sys.c-1, max(1, b.sys.c-4)), true
	return b.eliminateUpward(ctx)
}

func againstGeneralElimination(t *testing.T, draw func(*rapid.T) *Queue, eliminate func(*boundary, context.Context) error) {
	worst, ctx := 0.0, context.Background()
	rapid.Check(t, func(t *rapid.T) {
		q := draw(t)
		inPlace := eliminated(t, q, eliminate)
		var wantFlow block.Matrix
		general := eliminated(t, q, func(b *boundary, ctx context.Context) (err error) {
			wantFlow, err = b.forwardElimination(ctx)
			return err
		})
		c, k, n := inPlace.sys.c, inPlace.sys.index.Size(inPlace.sys.c), inPlace.sys.ar.N
		r := inPlace.sys.ar.Classes
		tol := block.UnitRoundoff * float64(c*(50+(8+4*n)*r*k))
		compare := func(what string, got, want []float64) {
			for i, w := range want {
				if got[i] == w || w < least && got[i] >= 0 && got[i] < 2*least {
					continue // the same, infinity included, or both too small
				}
				off := math.Abs(got[i] - w)
				worst = max(worst, off/(tol*w))
				if !(off <= tol*w) {
					t.Fatalf("%s, number %d: %g, general elimination %g", what, i, got[i], w)
				}
			}
		}
		x := block.Ones(n * k)
		got, err := inPlace.entriesAfter(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		want, err := general.entriesAfter(ctx, x)
		if err != nil {
			t.Fatal(err)
		}
		compare("returning", got, want)
		y := block.Ones(inPlace.sys.ar.N * inPlace.departure.Cols)
		v, w := new(boundaryFlows), new(boundaryFlows)
		v.prepare(inPlace.sys.c, nil)
		w.prepare(inPlace.sys.c, nil)
		last := inPlace.sys.c - 1
		v.departures[last], w.departures[last] = y, block.Ones(len(y))
		if err := inPlace.backSubstitution(ctx, v); err != nil {
			t.Fatal(err)
		}
		if err := general.backSubstitution(ctx, w); err != nil {
			t.Fatal(err)
		}
		for l := range w.inService {
			compare("in service", v.inService[l], w.inService[l])
			if l > 0 {
				compare("arrivals", v.arrivals[l], w.arrivals[l])
			}
		}
		departures := block.New(n*k, n*inPlace.departure.Cols)
		inPlace.departure.MulKronRight(ctx, departures, block.Identity(n*k), n)
		flow, err := inPlace.entriesAfterRows(ctx, departures)
		if err != nil {
			t.Fatal(err)
		}
		compare("flow", flow.Data, wantFlow.Data)
	})
	t.Logf("at most %.2g of the tolerance", worst)
}

func eliminated(t *rapid.T, q *Queue, eliminate func(*boundary, context.Context) error) *boundary {
	s, err := q.check(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.allocate(); err != nil {
		t.Fatal(err)
	}
	b := s.newBoundary()
	if err := eliminate(b, context.Background()); err != nil {
		t.Fatal(err)
	}
	return b
}
