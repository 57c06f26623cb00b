package multiserver_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/qbdtest"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// The claimed bound holds for mean, variance and P(0) of 60 M/PH/1 queues by every method: loads from .01 to 1 − 1e-6,
// rates of the phases over 0 to 12 decades. A method may refuse, but not be wrong.
func TestBoundsOfQueuesAgainstExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	loads := []float64{0.01, 0.3, 0.8, 0.99, 1 - 1e-6}
	refused := 0
	for instance := range 60 {
		q := drawMPH1(rng, loads[instance%len(loads)], float64(instance/len(loads)%4*4))
		if !q.solve() {
			t.Fatalf("instance %d is not stable", instance)
		}
		queue := &multiserver.Queue{
			D0: mat.NewDense(1, 1, []float64{-q.Rate}), D1: mat.NewDense(1, 1, []float64{q.Rate}),
			Servers: 1, Service: []multiserver.Phases{q.Service},
		}
		for _, method := range multiserver.Methods() {
			s, err := queue.Solve(t.Context(), markov.Settings{Method: method})
			if errors.Is(err, markov.ErrMethod) {
				continue
			}
			if errors.Is(err, markov.ErrInaccurate) || errors.Is(err, markov.ErrNoConvergence) {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			bound := s.Diagnostics().ErrorBound
			for _, m := range []struct {
				name  string
				got   float64
				want  *big.Rat
				bound float64
			}{
				{"mean", s.Mean(), q.Mean, bound}, {"variance", s.Variance(), q.Variance, 2 * bound},
				{"P(0)", s.Probability(0), q.Empty, bound},
			} {
				if off := qbdtest.RelativeError(m.got, m.want); !(off <= m.bound) {
					t.Errorf("instance %d, %s: %s = %g is off by %.2g, claimed %.2g",
						instance, method, m.name, m.got, off, m.bound)
				}
			}
		}
	}
	if refused > 0 {
		t.Logf("%d refusals", refused)
	}
}

// drawRate draws a rate over so many decades.
func drawRate(rng *rand.Rand, decades float64) float64 {
	return math.Pow(10, decades*(rng.Float64()-0.5))
}

// drawMPH1 draws a queue of one to four phases, in order or not; the rate of arrivals makes the load.
func drawMPH1(rng *rand.Rand, load, decades float64) *exactMPH1 {
	n := 1 + rng.IntN(4)
	cyclic := rng.IntN(2) == 0
	q := &exactMPH1{Rate: 1, Service: multiserver.Phases{Alpha: make([]float64, n), Exit: make([]float64, n)}}
	s := mat.NewDense(n, n, nil)
	for i := range n {
		q.Service.Alpha[i] = 1 / float64(n)
		q.Service.Exit[i] = drawRate(rng, decades)
		out := q.Service.Exit[i]
		for j := range n {
			if j > i && rng.IntN(2) == 0 || cyclic && j < i {
				s.Set(i, j, drawRate(rng, decades))
				out += s.At(i, j)
			}
		}
		s.Set(i, i, -out)
	}
	// thirds are not exact; the last initial probability is what the others lack to one
	rest := new(big.Rat).SetInt64(1)
	for _, p := range q.Service.Alpha[:n-1] {
		rest.Sub(rest, new(big.Rat).SetFloat64(p))
	}
	q.Service.Alpha[n-1], _ = rest.Float64()
	q.Service.T = s
	q.solve()
	mean, _ := q.Load.Float64()
	q.Rate = load / mean
	return q
}

// exactMPH1 is M/PH/1 with its answer in rational arithmetic, by the formulas of Pollaczek and Khinchine for the first
// two moments. The exit rates of the service must be given.
type exactMPH1 struct {
	Rate    float64
	Service multiserver.Phases

	Load, Empty, Mean, Variance *big.Rat
}

// solve sets the answers; it reports whether the queue is stable.
func (q *exactMPH1) solve() bool {
	lambda := new(big.Rat).SetFloat64(q.Rate)
	m := q.exactMoments()
	q.Load = new(big.Rat).Mul(lambda, m[1])
	one := big.NewRat(1, 1)
	q.Empty = new(big.Rat).Sub(one, q.Load)
	if q.Empty.Sign() <= 0 {
		return false
	}
	mul := func(x ...*big.Rat) *big.Rat {
		p := big.NewRat(1, 1)
		for _, v := range x {
			p.Mul(p, v)
		}
		return p
	}
	add := func(x ...*big.Rat) *big.Rat {
		s := new(big.Rat)
		for _, v := range x {
			s.Add(s, v)
		}
		return s
	}
	wait := new(big.Rat).Quo(mul(lambda, m[2]), mul(big.NewRat(2, 1), q.Empty))
	wait2 := add(mul(big.NewRat(2, 1), wait, wait), new(big.Rat).Quo(mul(lambda, m[3]), mul(big.NewRat(3, 1), q.Empty)))
	stay2 := add(wait2, mul(big.NewRat(2, 1), wait, m[1]), m[2])
	q.Mean = mul(lambda, add(wait, m[1]))
	// E[N(N−1)] = λ²·E[T²]
	q.Variance = new(big.Rat).Sub(add(mul(lambda, lambda, stay2), q.Mean), mul(q.Mean, q.Mean))
	return true
}

// exactMoments returns E[S^k] = k!·α·(−S)⁻ᵏ·1 for k = 0..3.
func (q *exactMPH1) exactMoments() [4]*big.Rat {
	n := len(q.Service.Alpha)
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n)
		out := new(big.Rat).SetFloat64(q.Service.Exit[i])
		for j := range a[i] {
			a[i][j] = new(big.Rat)
			if j != i {
				v := new(big.Rat).SetFloat64(q.Service.T.At(i, j))
				out.Add(out, v)
				a[i][j].Neg(v)
			}
		}
		a[i][i] = out
	}
	x := make([]*big.Rat, n)
	var moments [4]*big.Rat
	for i := range x {
		x[i] = big.NewRat(1, 1)
	}
	for k := range moments {
		if k > 0 {
			x = exactSolve(a, x)
			for i := range x {
				x[i].Mul(x[i], big.NewRat(int64(k), 1))
			}
		}
		moments[k] = new(big.Rat)
		for i, p := range q.Service.Alpha {
			moments[k].Add(moments[k], new(big.Rat).Mul(new(big.Rat).SetFloat64(p), x[i]))
		}
	}
	return moments
}

// exactSolve returns a⁻¹·b for a with a dominant diagonal.
func exactSolve(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n := len(b)
	m := make([][]*big.Rat, n)
	for i := range m {
		m[i] = make([]*big.Rat, n+1)
		for j := range n {
			m[i][j] = new(big.Rat).Set(a[i][j])
		}
		m[i][n] = new(big.Rat).Set(b[i])
	}
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			l := new(big.Rat).Quo(m[i][k], m[k][k])
			for j := k; j <= n; j++ {
				m[i][j].Sub(m[i][j], new(big.Rat).Mul(l, m[k][j]))
			}
		}
	}
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat).Quo(m[i][n], m[i][i])
	}
	return x
}
