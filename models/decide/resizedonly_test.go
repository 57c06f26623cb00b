package decide_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// training returns the model of testdata whose decision depends on who stops, at a load.
func training(t *testing.T, load float64) *models.System {
	t.Helper()
	m, err := modelfile.Load("../../testdata/examples/gpu-training.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.System.WithLoad(load)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A decision with only resized jobs stopping is that on a system that says so.
func TestResizedIsTheDecisionOnASystemThatSaysSo(t *testing.T) {
	s := training(t, 0.6)
	candidates := policy.Candidates(s.Machine())
	d, err := decide.Solve(t.Context(), s, candidates, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	resized, err := d.Resized(t.Context(), s, markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	said := *s
	said.Stops = models.ResizedStop
	want, err := decide.Solve(t.Context(), &said, candidates, markov.Settings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if resized.Ratio != want.Ratio || resized.Best.Policy != want.Best.Policy {
		t.Errorf("ratio %v, want %v", resized.Ratio, want.Ratio)
	}
	if !d.Differs(&resized) || !resized.Differs(&d) || d.Differs(&d) {
		t.Errorf("winners %v and %v", d.Compare().Winner, resized.Compare().Winner)
	}
	free := *s
	if free.Shrink, free.Expand = nil, nil; free.StopsMatter() || !s.StopsMatter() {
		t.Error("who stops matters where repartitions cost something")
	}
}

// Read anew, the series pays at all loads; the points that are looked at are few, and hold what a sweep of a system that
// says so does.
func TestReadings(t *testing.T) {
	needs.Concurrency(t)
	loads := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}
	s := training(t, 0.5)
	said, free := *s, *s
	said.Stops = models.AllStop
	free.Shrink, free.Expand = nil, nil
	w := decide.Sweep{Loads: loads, Series: []decide.Series{{Name: "said", System: &said}, {Name: "unsaid", System: s, StopsAssumed: true},
		{Name: "free", System: &free, StopsAssumed: true}}}
	points, err := w.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.Readings(t.Context(), points)
	if err != nil || len(all) != 1 || all[0].Series != "unsaid" || all[0].Err != nil || !all[0].Differs {
		t.Fatalf("%+v, %v", all, err)
	}
	if n := len(all[0].Points); n < 2 || n == len(loads) {
		t.Errorf("%d points", n)
	}
	resized := *s
	resized.Stops = models.ResizedStop
	other := decide.Sweep{Loads: loads, Series: []decide.Series{{Name: "resized", System: &resized}}}
	want, err := other.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all[0].Points {
		at := want[int(math.Round(p.Load*10))-1]
		if p.Load != at.Load || math.Abs(p.Decision.Ratio/at.Decision.Ratio-1) > 1e-12 || p.Decision.Ratio < 1 {
			t.Errorf("load %v: ratio %v, want %v", p.Load, p.Decision.Ratio, at.Decision.Ratio)
		}
	}
}

// The overhead up to which dynamic partitioning pays is that of a system that says so, to the digits of a coarse walk.
func TestBreakevenResized(t *testing.T) {
	s := training(t, 0.5)
	b := &decide.Breakeven{System: s, Axis: over("dynamic.overhead"), Steps: 16}
	a, err := b.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resized, err := b.Resized(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := *s
	said.Stops = models.ResizedStop
	want, err := (&decide.Breakeven{System: &said, Axis: over("dynamic.overhead"), Steps: 16}).Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x, y := resized.Intervals[0].To, want.Intervals[0].To
	if !x.Crossing || math.Abs(x.X/y.X-1) > 1e-3 || !a.Differs(resized) || resized.Differs(want) {
		t.Errorf("crossings %v, %v, all stop %v", x.X, y.X, a.Intervals[0].To.X)
	}
}

// What would take too long is left to those who ask for it.
func TestLargeChainsAreNotReadAnew(t *testing.T) {
	m, err := modelfile.Load("../../testdata/kth-sp2/kth-sp2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := decide.Sweep{Loads: []float64{0.5}, Series: []decide.Series{{Name: "KTH", System: m.System, StopsAssumed: true}}}
	points, err := w.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.Readings(t.Context(), points)
	if err != nil || len(all) != 1 || !errors.Is(all[0].Err, markov.ErrTooLarge) {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := (&decide.Breakeven{System: m.System, Axis: over("load")}).Resized(t.Context()); !errors.Is(err, markov.ErrTooLarge) {
		t.Error(err)
	}
}
