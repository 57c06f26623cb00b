package qbdtest

import (
	"math/big"

	"github.com/partwise/partwise/markov/multiserver"
)

// ExactStationary returns the stationary vector of the chain with the given rates between states (the diagonal is not
// read), in rational arithmetic: floating-point rates are rational numbers, so that there is no error at all. States
// must have one closed class. It takes n³ operations on ever longer numbers and is for small chains.
func ExactStationary(rates [][]float64) []*big.Rat {
	n := len(rates)
	q := make([][]*big.Rat, n)
	for i := range q {
		q[i] = make([]*big.Rat, n)
		for j := range q[i] {
			q[i][j] = new(big.Rat)
			if j != i {
				q[i][j].SetFloat64(rates[i][j])
			}
		}
	}
	// states are eliminated from the last down; the rates of what remains are those of the chain observed there
	total := make([]*big.Rat, n)
	for k := n - 1; k > 0; k-- {
		total[k] = new(big.Rat)
		for j := range k {
			total[k].Add(total[k], q[k][j])
		}
		for i := range k {
			share := new(big.Rat).Quo(q[i][k], total[k])
			q[i][k] = share
			for j := range k {
				q[i][j].Add(q[i][j], new(big.Rat).Mul(share, q[k][j]))
			}
		}
	}
	pi, sum := make([]*big.Rat, n), new(big.Rat)
	for k := range pi {
		pi[k] = new(big.Rat)
		if k == 0 {
			pi[k].SetInt64(1)
		}
		for i := range k {
			pi[k].Add(pi[k], new(big.Rat).Mul(pi[i], q[i][k]))
		}
		sum.Add(sum, pi[k])
	}
	for k := range pi {
		pi[k].Quo(pi[k], sum)
	}
	return pi
}

// ExactMPH1 is M/PH/1 with its answer in rational arithmetic, by the formulas of Pollaczek and Khinchine for the first
// two moments. The exit rates of the service must be given.
type ExactMPH1 struct {
	Rate    float64
	Service multiserver.Phases

	Load, Empty, Mean, Variance *big.Rat
}

// Solve sets the answers; it reports whether the queue is stable.
func (q *ExactMPH1) Solve() bool {
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
func (q *ExactMPH1) exactMoments() [4]*big.Rat {
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

// RelativeError returns |got/want − 1| for want ≠ 0, itself computed without error.
func RelativeError(got float64, want *big.Rat) float64 {
	g := new(big.Rat).SetFloat64(got)
	if g == nil {
		return 1
	}
	off, _ := new(big.Rat).Quo(g.Sub(g, want), want).Float64()
	return max(off, -off)
}
