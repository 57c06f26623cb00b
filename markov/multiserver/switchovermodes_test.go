package multiserver_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

// dividedTwoPhases draws a queue of 24 to 37 servers with a switch-over of up to three phases after every change of
// level. Service has two phases, and renewal arrivals have two or three.
func dividedTwoPhases(k int) *multiserver.Queue {
	r := rand.New(rand.NewPCG(900913, uint64(k)))
	rate := func() float64 { return math.Pow(10, 2*(r.Float64()-.5)) }
	c := 24 + r.IntN(14)
	var service multiserver.Phases
	switch r.IntN(4) {
	case 0:
		service = drawnErlang(2, 1)
	case 1:
		first, second := rate(), rate()
		service = multiserver.Phases{Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{
			-first, first * r.Float64(),
			0, -second,
		})}
	default:
		service.Alpha, service.T = hyperexponential2(1, 1.05+math.Pow(10, 2*r.Float64()))
	}
	start, inter := hyperexponential2(1, 1.05+math.Pow(10, 1.5*r.Float64()))
	if r.IntN(3) == 0 {
		stages := drawnErlang(2+r.IntN(2), 1)
		start, inter = stages.Alpha, mat.DenseCopyOf(stages.T)
	}
	q := loaded(start, inter, service, c, []float64{.02, .1, .3, .6, .8, .9, .95, .98}[r.IntN(8)])
	addSwitchOvers(q, 1+r.IntN(3), math.Pow(10, -3+2.5*r.Float64()))
	return q
}

// dividedThreePhases draws a queue of 12 to 21 servers with a switch-over of up to three phases after every change of
// level. Service has three phases, and renewal arrivals have two to four.
func dividedThreePhases(k int) *multiserver.Queue {
	r := rand.New(rand.NewPCG(77001, uint64(k)))
	rate := func() float64 { return math.Pow(10, 2*(r.Float64()-.5)) }
	c := 12 + r.IntN(10)
	service := drawnService(r, 3, rate)
	switch r.IntN(3) {
	case 0:
		service = drawnErlang(3, 1)
	case 1:
		rates := mat.NewDense(3, 3, nil)
		for i := range 3 {
			rates.Set(i, i, -rate())
		}
		service = multiserver.Phases{Alpha: []float64{1. / 3, 1. / 3, 1. / 3}, T: rates}
	}
	start, inter := hyperexponential2(1, 1.05+math.Pow(10, 1.5*r.Float64()))
	if r.IntN(3) > 0 {
		stages := drawnErlang(2+r.IntN(3), 1)
		start, inter = stages.Alpha, mat.DenseCopyOf(stages.T)
	}
	q := loaded(start, inter, service, c, []float64{.3, .6, .8, .9, .95, .98}[r.IntN(6)])
	addSwitchOvers(q, 1+r.IntN(3), math.Pow(10, -3+2.5*r.Float64()))
	return q
}

// addSwitchOvers adds a switch-over of Erlang phases after every change of level.
func addSwitchOvers(q *multiserver.Queue, phases int, mean float64) {
	for i := range q.Servers {
		q.OnArrival = append(q.OnArrival, drawnErlang(phases, mean))
		if i+1 < q.Servers {
			q.OnDeparture = append(q.OnDeparture, drawnErlang(phases, mean))
		}
	}
}

// Queues with switch-overs whose P(0) is 1e-45 to 1e-15, and was once off by twice its bound: spectral expansion refuses
// them or is within its bound, and so is the automatic choice. With -study it draws 2,000 queues of three phases.
func TestBoundsOfModesWithSwitchOvers(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}, readings: manyReadings}
	byModes := func(k int, q *multiserver.Queue) {
		y.solve(t, k, q, 0)
		sol, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
		if errors.Is(err, markov.ErrMethod) || errors.Is(err, markov.ErrInaccurate) || errors.Is(err, markov.ErrNoConvergence) {
			return
		}
		known, unknown := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
		if err := errors.Join(err, unknown); err != nil {
			t.Errorf("queue %d (%s): %v", k, shape(q), err)
			return
		}
		y.compare(t, k, q, sol, known)
	}
	if needs.IsStudy() {
		for k := *studyFrom; k < *studyFrom+*studySize; k++ {
			byModes(k, dividedThreePhases(k))
		}
	} else {
		byModes(1070, dividedThreePhases(1070))
		byModes(1116, dividedTwoPhases(1116))
		byModes(8327, dividedTwoPhases(8327))
	}
	y.report(t)
}

// Two phases of service with switch-overs, for which the automatic choice tries modes from 24 occupancies on: no measure
// is off by more than its bound. With -study it draws 2,000 queues, otherwise 8.
func TestBoundsOfTwoPhasesWithSwitchOvers(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}, readings: manyReadings}
	from, size := 0, 8
	if needs.IsStudy() {
		from, size = *studyFrom, *studySize
	}
	for k := from; k < from+size; k++ {
		y.solve(t, k, dividedTwoPhases(k), 0)
	}
	if y.methods[multiserver.SpectralExpansion] == 0 {
		t.Error("no queue is solved by modes")
	}
	y.report(t)
}
