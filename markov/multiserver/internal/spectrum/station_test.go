package spectrum_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// erlangStation returns the station of the queue M/E_2/3 with traffic intensity 0.5.
func erlangStation(t *testing.T) *spectrum.Station {
	t.Helper()
	ar, err := statespace.NewArrivals(context.Background(), mat.NewDense(1, 1, []float64{-3}), mat.NewDense(1, 1, []float64{3}))
	if err != nil {
		t.Fatal(err)
	}
	s := spectrum.NewStation(ar, 3, []float64{1, 0}, block.Over(2, 2, []float64{0, 4, 0, 0}), []float64{0, 4})
	s.Index = statespace.NewStateIndex(2, 3)
	return s
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestModesReturnErrorOfContext: an ended context is no failure of the method, after which callers would try another.
func TestModesReturnErrorOfContext(t *testing.T) {
	_, err := erlangStation(t).Modes(ended())
	if !errors.Is(err, context.Canceled) || errors.Is(err, markov.ErrNoConvergence) {
		t.Errorf("the error is %v, want the error of the context alone", err)
	}
}

// TestCaudalForgetsEndedSearch: the numbers of an ended search are meaningless, so the station must not store them.
func TestCaudalForgetsEndedSearch(t *testing.T) {
	s := erlangStation(t)
	s.Caudal(ended())
	at, eta, gap := s.Caudal(context.Background())
	wantAt, wantEta, wantGap := erlangStation(t).Caudal(context.Background())
	if at != wantAt || eta != wantEta || gap != wantGap {
		t.Errorf("after an ended search Caudal returns %v, %v, %v, want %v, %v, %v", at, eta, gap, wantAt, wantEta, wantGap)
	}
}

// TestCaudalWithAnyEstimate: an estimate of the decay rate changes only the cost of its search.
func TestCaudalWithAnyEstimate(t *testing.T) {
	_, eta, gap := erlangStation(t).Caudal(context.Background())
	for _, off := range []float64{-1, 0, 1e-9, 0.1, 0.5, 0.99, 0.999, 1, 1.001, 1.01, 1.5, 2, 1e9, math.NaN(), math.Inf(1)} {
		s := erlangStation(t)
		e := 1 - off*gap // levels that decrease by the factor e have these sums
		s.EstimateDecay(1-e, 1, e/(1-e), 2*(e/(1-e))*(e/(1-e)))
		if _, found, foundGap := s.Caudal(context.Background()); math.Abs(found-eta) > 1e-15 || math.Abs(foundGap-gap) > 1e-15 {
			t.Errorf("from an estimate of %v times the gap, the decay rate is %v, gap %v, want %v, %v", off, found, foundGap, eta, gap)
		}
	}
}
