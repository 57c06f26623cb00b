package phasetype_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
)

// precision is that of the reference, in bits.
const precision = 120

// precise returns x as a number of the reference.
func precise(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// referenceEvents are the probabilities of a chain at its first Poisson events: not absorbed, absorbed, and absorbed by the next
// event.
type referenceEvents struct {
	rate                *big.Float // of events
	alive, died, leaves []*big.Float
}

// referenceMove is a move to a phase, with its probability at an event.
type referenceMove struct {
	to int
	p  *big.Float
}

// newReference walks d event by event.
func newReference(d phasetype.Dist, count int) referenceEvents {
	rate, moves, leave := uniformizedMoves(d)
	e := referenceEvents{rate: rate}
	v, next := make([]*big.Float, d.Phases()), make([]*big.Float, d.Phases())
	for i, a := range d.Alpha() {
		v[i], next[i] = precise(a), precise(0)
	}
	died, product := precise(d.Atom()), precise(0)
	for range count {
		alive, leaves := precise(0), precise(0)
		for i := range next {
			next[i].SetInt64(0)
		}
		for i, p := range v {
			if p.Sign() == 0 {
				continue
			}
			alive.Add(alive, p)
			leaves.Add(leaves, product.Mul(p, leave[i]))
			for _, m := range moves[i] {
				next[m.to].Add(next[m.to], product.Mul(p, m.p))
			}
		}
		v, next = next, v
		e.alive, e.died, e.leaves = append(e.alive, alive), append(e.died, died), append(e.leaves, leaves)
		died = new(big.Float).Add(died, leaves)
	}
	return e
}

// uniformizedMoves returns the rate of the events of d, and the probabilities of its moves and of absorption at an event. The rate
// of leaving a phase is the sum of its other rates, without the rounding of the diagonal.
func uniformizedMoves(d phasetype.Dist) (rate *big.Float, moves [][]referenceMove, leave []*big.Float) {
	n, exit := d.Phases(), d.Exit()
	rate = precise(0)
	out := make([]*big.Float, n)
	for i := range n {
		out[i] = precise(exit[i])
		for j := range n {
			if j != i {
				out[i].Add(out[i], precise(d.Rate(i, j)))
			}
		}
		if out[i].Cmp(rate) > 0 {
			rate = out[i]
		}
	}
	share := func(x *big.Float) *big.Float { return new(big.Float).Quo(x, rate) }
	for i := range n {
		row := []referenceMove{{i, share(new(big.Float).Sub(rate, out[i]))}}
		for j := range n {
			if j != i && d.Rate(i, j) > 0 {
				row = append(row, referenceMove{j, share(precise(d.Rate(i, j)))})
			}
		}
		moves, leave = append(moves, row), append(leave, share(precise(exit[i])))
	}
	return rate, moves, leave
}

// at returns P(X > x), P(X ≤ x) and the density at x: sums with Poisson weights, divided by the sum of the weights.
func (e referenceEvents) at(x float64) (alive, died, density float64) {
	mean := new(big.Float).Mul(e.rate, precise(x))
	weight, total, product := precise(1), precise(0), precise(0)
	sums := [3]*big.Float{precise(0), precise(0), precise(0)}
	for k := range e.alive {
		for i, term := range []*big.Float{e.alive[k], e.died[k], e.leaves[k]} {
			sums[i].Add(sums[i], product.Mul(weight, term))
		}
		total.Add(total, weight)
		weight.Mul(weight, product.Quo(mean, precise(float64(k+1))))
	}
	var out [3]float64
	for i, s := range sums {
		out[i], _ = s.Quo(s, total).Float64()
	}
	rate, _ := e.rate.Float64()
	return out[0], out[1], out[2] * rate
}

// TestManyEvents compares values from the lists of events with sums of 36 digits, to the error that manyEvents states.
// Measured: at most 1e-14 of the value.
func TestManyEvents(t *testing.T) {
	slow, _ := lumped(48, 20, 1e-3, [2]float64{.3, .1})
	half := neighbours(60).Alpha()
	for i := range half {
		half[i] /= 2
	}
	for name, c := range map[string]struct {
		d      phasetype.Dist
		events []float64
	}{
		"walk, half zero": {phasetype.Must(phasetype.New(half, neighbours(60).T())), []float64{66, 140, 420, 1400, 9000}},
		"groups":          {slow, []float64{66, 140, 420, 1400}},
		"in order":        {ladder(64), []float64{66, 140, 420, 1400}},
		"Erlang":          {phasetype.Must(phasetype.Erlang(60, 1)), []float64{66, 140, 420, 1400}},
		"late":            {late(60), []float64{66, 90, 200, 700}},
	} {
		most := slices.Max(c.events)
		ref, l := newReference(c.d, int(most+12*math.Sqrt(most))+60), phasetype.NewLaw(c.d)
		rate, _ := ref.rate.Float64()
		for _, events := range c.events {
			x := events / rate
			alive, died, density := ref.at(x)
			what, tol := fmt.Sprintf("%s, %g events: ", name, events), 0x1p-52*(events+float64(c.d.Phases()))
			approx(t, what+"P(X ≤ x)", l.CDF(x), died, tol)
			if alive > 0 {
				approx(t, what+"P(X > x)", l.Survival(x), alive, tol)
				approx(t, what+"density", l.PDF(x), density, tol)
			}
		}
	}
}

// late passes n phases in order. The last is a hundred times as fast as the others, and other moves hardly ever happen. So
// P(X ≤ x) is small after many events: 5e-34 after 700 events of 60 phases.
func late(n int) phasetype.Dist {
	alpha, moves, exit := make([]float64, n), mat.NewDense(n, n, nil), make([]float64, n)
	alpha[0], exit[n-1] = 1, 100
	for i := range n {
		for j := range n {
			switch {
			case j == i+1:
				moves.Set(i, j, 1)
			case j != i:
				moves.Set(i, j, 1e-90)
			}
		}
	}
	return phasetype.Must(phasetype.FromRates(alpha, moves, exit))
}
