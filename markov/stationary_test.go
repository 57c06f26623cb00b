package markov_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"
)

func TestStationaryKeepsTransientStatesOut(t *testing.T) {
	// states 0, 1 form the closed class; 2 is left for good, and comes last
	q := mat.NewDense(3, 3, []float64{0, 2, 0, 1, 0, 0, 5, 0, 0})
	pi, err := markov.Stationary(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.0 / 3, 2.0 / 3, 0} {
		if math.Abs(pi[i]-want) > 1e-15 {
			t.Errorf("pi[%d] = %v, want %v", i, pi[i], want)
		}
	}
}

func TestStationaryRefusesTwoClosedClasses(t *testing.T) {
	parts := mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0})
	// Elimination from the last state on finds that state 1 is never left, and would give it all probability.
	alone := mat.NewDense(3, 3, []float64{-1, 0, 1, 0, 0, 0, 1, 0, -1})
	for _, q := range []*mat.Dense{parts, alone} {
		if pi, err := markov.Stationary(t.Context(), q); !errors.Is(err, markov.ErrReducible) {
			t.Errorf("two closed classes: %v, %v", pi, err)
		}
		n, _ := q.Dims()
		chain, err := newChain(n, func(i int, add func(int, float64)) {
			for j, rate := range q.RawRowView(i) {
				if j != i && rate > 0 {
					add(j, rate)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if pi, _, err := chain.Stationary(t.Context()); !errors.Is(err, markov.ErrReducible) {
			t.Errorf("two closed classes of a sparse chain: %v, %v", pi, err)
		}
	}
}

// Of random chains of few transitions those with one closed class are solved, and the others refused, whatever the order
// of their states: also where elimination stops at a state that others do not reach.
func TestStationaryRefusesWhatHasNoUniqueVector(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	solved, refused := 0, 0
	for instance := range 3000 {
		n := 2 + rng.IntN(7)
		if instance%100 == 0 {
			n = 120 // in several blocks
		}
		rates := make([][]float64, n)
		q := mat.NewDense(n, n, nil)
		for i := range rates {
			rates[i] = make([]float64, n)
			for range rng.IntN(3) {
				if j := rng.IntN(n); j != i {
					rates[i][j] += drawRate(rng, 4)
				}
			}
			q.SetRow(i, rates[i])
		}
		classes := closedClasses(rates)
		pi, err := markov.Stationary(t.Context(), q)
		if len(classes) > 1 {
			refused++
			if !errors.Is(err, markov.ErrReducible) {
				t.Errorf("instance %d, %v: %d closed classes: %v, %v", instance, rates, len(classes), pi, err)
			}
			continue
		}
		solved++
		if err != nil {
			t.Errorf("instance %d, %v: one closed class: %v", instance, rates, err)
			continue
		}
		for j := range pi {
			in, out := 0.0, 0.0
			for i := range pi {
				in += pi[i] * rates[i][j]
				out += pi[j] * rates[j][i]
			}
			if recurrent := slices.Contains(classes[0], j); recurrent != (pi[j] > 0) || math.Abs(in-out) > 1e-13*(in+out) {
				t.Errorf("instance %d, %v: pi = %v", instance, rates, pi)
				break
			}
		}
	}
	if solved < 500 || refused < 500 {
		t.Errorf("%d solved, %d refused", solved, refused)
	}
}

// closedClasses returns the closed classes of a chain, by the states that each state reaches.
func closedClasses(rates [][]float64) (classes [][]int) {
	n := len(rates)
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		reach[i][i] = true
		for todo := []int{i}; len(todo) > 0; {
			k := todo[0]
			todo = todo[1:]
			for j, r := range rates[k] {
				if r > 0 && !reach[i][j] {
					reach[i][j] = true
					todo = append(todo, j)
				}
			}
		}
	}
	for i := range n {
		closed, class := true, []int(nil)
		for j := range n {
			if reach[i][j] {
				closed = closed && reach[j][i] && j >= i // each class by its first state
				class = append(class, j)
			}
		}
		if closed {
			classes = append(classes, class)
		}
	}
	return classes
}
