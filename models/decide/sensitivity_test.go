package decide_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	_ "github.com/partwise/partwise/testdata/phtest"
)

func effects(t testing.TB, s *models.System) map[string]decide.Effect {
	found, err := decide.Sensitivity(t.Context(), s, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]decide.Effect{}
	for i, e := range found.Effects {
		by[e.Parameter] = e
		if i > 0 && math.Abs(e.Ratio) > math.Abs(found.Effects[i-1].Ratio) {
			t.Errorf("%s has a larger effect than what stands before it", e.Parameter)
		}
		if math.Abs(e.Ratio-(e.Static-e.Dynamic)) > 1e-15 {
			t.Errorf("%s: the ratio changes by %v, not by %v − %v", e.Parameter, e.Ratio, e.Static, e.Dynamic)
		}
	}
	return by
}

// elasticityTol: differences of the fourth order at a step of 1 % leave h⁴ times the fifth derivative, of order 10 in
// these queues; one-sided ones are of the third order.
const elasticityTol = 1e-6

func TestSensitivityOfSingleServers(t *testing.T) {
	// Dynamic: M/M/1 with a start-up, T = m/(1−ρ) + c. Static: M/G/1 with set-up. Derivatives by hand.
	const lambda, m, c, u = 0.5, 1., 0.3, 0.2
	rho := lambda * m
	dynamic := m/(1-rho) + c
	mean, second := m+u, 2*(m*m+m*u+u*u)
	static := pollaczek(lambda, mean, second)
	wait := static - mean
	// ∂T/∂x = ∂mean + W·(∂second/second + λ·∂mean/(1−λ·mean))
	slope := func(dMean, dSecond float64) float64 {
		return (dMean + wait*(dSecond/second+lambda*dMean/(1-lambda*mean))) / static
	}
	want := map[string]struct{ dynamic, static float64 }{
		"arrival rate": {rho * m / (1 - rho) / (1 - rho) / dynamic,
			wait * (1 + lambda*mean/(1-lambda*mean)) / static},
		"service means": {m / (1 - rho) / (1 - rho) / dynamic, slope(m, 4*m*m+2*m*u)},
		"service scv":   {rho * m / 2 / (1 - rho) / dynamic, slope(0, m*m)},
		"shrink means":  {c / dynamic, 0},
		"set-up means":  {0, slope(u, 2*m*u+4*u*u)},
	}
	got := effects(t, oneServer(t, c, u))
	for name, w := range want {
		e, ok := got[name]
		if !ok {
			t.Errorf("nothing about %s", name)
			continue
		}
		if math.Abs(e.Dynamic-w.dynamic) > elasticityTol || math.Abs(e.Static-w.static) > elasticityTol {
			t.Errorf("%s: %.9g and %.9g, want %.9g and %.9g", name, e.Dynamic, e.Static, w.dynamic, w.static)
		}
		// The estimate is of the same order as the error, not a bound.
		if off := math.Max(math.Abs(e.Dynamic-w.dynamic), math.Abs(e.Static-w.static)); off > 10*e.Error {
			t.Errorf("%s: off by %.2g, estimated %.2g", name, off, e.Error)
		}
	}
	if _, ok := got["nodes"]; ok {
		t.Error("nodes vary without a speedup")
	}
	if _, ok := got["expand means"]; ok {
		t.Error("nothing expands, yet expand means vary")
	}
}

// Close to saturation no parameter is lost, and T = m/(1−ρ) has an elasticity of ρ/(1−ρ) to the arrival rate and 1/(1−ρ)
// to the service time.
func TestSensitivityCloseToSaturation(t *testing.T) {
	for _, rho := range []float64{0.985, 0.99, 0.999, 0.99999} {
		s, err := exponentials(t, 0.5, 1).WithLoad(rho)
		if err != nil {
			t.Fatal(err)
		}
		found, err := decide.Sensitivity(t.Context(), s, markov.Settings{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Warnings) > 0 {
			t.Errorf("load %g: %v", rho, found.Warnings)
		}
		want := map[string]float64{"arrival rate": rho / (1 - rho), "service means": 1 / (1 - rho), "service scv": rho / 2}
		for _, e := range found.Effects {
			tol := max(10*e.Error, 1e-5*want[e.Parameter])
			if w, ok := want[e.Parameter]; ok && !(math.Abs(e.Dynamic-w) <= tol && math.Abs(e.Static-w) <= tol) {
				t.Errorf("load %g, %s: %.9g and %.9g, want %.9g", rho, e.Parameter, e.Dynamic, e.Static, w)
			}
			delete(want, e.Parameter)
		}
		for name := range want {
			t.Errorf("load %g: nothing about %s", rho, name)
		}
	}
}

// TestSensitivityScalesWithTime: with all times longer and arrivals as much rarer, response times grow in proportion.
func TestSensitivityScalesWithTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := exponentials(t, 1, 1, rapid.Float64Range(1.2, 2.2).Draw(r, "second"))
		overhead := phasetype.Must(phasetype.Erlang(2, rapid.Float64Range(0.01, 0.5).Draw(r, "overhead")))
		s.Shrink = []phasetype.Dist{overhead, overhead}
		s.Expand = []phasetype.Dist{overhead}
		s.Setup = map[int]phasetype.Dist{1: overhead, 2: overhead}
		s, err := s.WithLoad(rapid.Float64Range(0.05, 0.6).Draw(r, "load"))
		if err != nil {
			t.Fatal(err)
		}
		e := effects(t, s)
		for name, of := range map[string]func(decide.Effect) float64{
			"T_DP":  func(e decide.Effect) float64 { return e.Dynamic },
			"T_SP*": func(e decide.Effect) float64 { return e.Static },
		} {
			sum := of(e["service means"]) + of(e["shrink means"]) + of(e["expand means"]) + of(e["set-up means"]) -
				of(e["arrival rate"])
			if math.Abs(sum-1) > 5*elasticityTol {
				t.Errorf("%s: the effects of all times add up to %v", name, sum)
			}
		}
	})
}

func TestSensitivityToNodesAndSCV(t *testing.T) {
	needs.Concurrency(t)
	m, err := modelfile.Load("../../testdata/examples/gpu-training.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e := effects(t, m.System)
	// A power law: n 1 % larger is service shorter by the exponent times 1 %.
	if got, want := e["nodes"].Dynamic, -0.85*e["service means"].Dynamic; math.Abs(got-want) > elasticityTol {
		t.Errorf("nodes %v, service means %v: want a factor of −.85", got, e["service means"].Dynamic)
	}
	if e["service scv"].Static <= 0 || e["arrival scv"].Static <= 0 || e["arrival rate"].Dynamic <= 0 {
		t.Errorf("variability and load make nothing slower: %+v", e)
	}
}

func TestSensitivityWarns(t *testing.T) {
	s := exponentials(t, 0.5, 1, 1.9)
	var err error
	if s.Arrivals, err = phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{0.1, 1}); err != nil {
		t.Fatal(err)
	}
	found, err := decide.Sensitivity(t.Context(), s, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Warnings) == 0 {
		t.Error("no warning about arrivals that depend on one another")
	}
	for _, e := range found.Effects {
		if e.Parameter == "arrival scv" {
			t.Errorf("%+v", e)
		}
	}
	over := exponentials(t, 2, 1, 1.9)
	if _, err := decide.Sensitivity(t.Context(), over, markov.Settings{}, 1); !errors.Is(err, markov.ErrUnstable) {
		t.Errorf("unstable: %v", err)
	}
}

// TestSensitivityErrorHoldsTheBoundOfTheSolver: in M/G/1 queues whose service times vary so much that a solution has eight to
// eleven certain digits, the stated error of an elasticity holds its true error. Derivatives are those of Pollaczek–Khinchine.
func TestSensitivityErrorHoldsTheBoundOfTheSolver(t *testing.T) {
	for _, scv := range []float64{1, 100, 1e4, 1e5, 1e6, 1e7} {
		for _, rho := range []float64{0.001, 0.01, 0.1, 0.5} {
			arrivals := must(phasetype.Renewal(phasetype.Must(phasetype.Exponential(rho))))
			d := phasetype.Must(phasetype.TwoMoments(1, scv))
			s := &models.System{Nodes: 1, MinNodes: 1, Arrivals: arrivals, Service: []phasetype.Dist{d}}
			wait := pollaczek(rho, 1, d.Moment(2)) - 1
			want := map[string]float64{
				"arrival rate":  wait / (1 - rho) / (1 + wait),
				"service means": (1 + wait*(1+1/(1-rho))) / (1 + wait),
				"service scv":   wait * scv / (1 + scv) / (1 + wait),
			}
			for name, e := range effects(t, s) {
				w, known := want[name]
				if off := math.Max(math.Abs(e.Dynamic-w), math.Abs(e.Static-w)); known && !(off <= e.Error) {
					t.Errorf("scv %g, load %g, %s: off by %.2g, stated %.2g", scv, rho, name, off, e.Error)
				}
			}
		}
	}
}

// TestErrorsOfSensitivitiesBound: for M/G/1 queues with set-ups, no effect is off by more than its stated error, and
// the errors are small at all loads. The scv of the service is varied on both sides, or on one side where the family of
// distributions ends.
func TestErrorsOfSensitivitiesBound(t *testing.T) {
	for _, rho := range []float64{1e-6, 0.1, 0.5, 0.9, 0.95, 1 - 1e-4, 1 - 1e-6} {
		for _, scv := range []float64{0.25, 0.37, 1, 1.5, 100} {
			const setup, share = 1e-3, 1e-3 / (1 + 1e-3)
			const mean, second = 1 + setup, 2 * setup * (1 + setup) // without the second moment of the service
			lambda := rho / mean
			s := must(models.NewSystem(1, 1, must(phasetype.Renewal(must(phasetype.Exponential(lambda)))),
				must(phasetype.TwoMoments(1, scv)), workload.Linear{}))
			s.Setup = map[int]phasetype.Dist{1: must(phasetype.Exponential(1 / setup))}
			time := pollaczek(lambda, mean, second+1+scv)
			wait := time - mean
			// ∂T/∂x = ∂mean + W·(∂second/second + λ·∂mean/(1−λ·mean))
			slope := func(dMean, dSecond float64) float64 {
				return (dMean + wait*(dSecond/(second+1+scv)+lambda*dMean/(1-rho))) / time
			}
			got := effects(t, s)
			for name, want := range map[string]float64{
				"arrival rate":  wait * (1 + rho/(1-rho)) / time,
				"service means": slope(1, 2*(1+scv)+2*setup),
				"service scv":   slope(0, scv),
				"set-up means":  slope(setup, 2*setup+4*setup*setup),
			} {
				e, ok := got[name]
				if off := math.Abs(e.Static - want); !ok || !(off <= e.Error+1e-13*want) { // want has roundings
					t.Errorf("ρ = %g, scv %g, %s: %.12g, want %.12g: off by %.2g, stated %.2g", rho, scv, name, e.Static, want, off, e.Error)
				}
				if e.Error > 1e-3*max(want, 1e-3) {
					t.Errorf("ρ = %g, scv %g, %s: the error %.2g of %.3g says nothing", rho, scv, name, e.Error, want)
				}
			}
		}
	}
}
