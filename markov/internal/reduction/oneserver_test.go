package reduction

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// drawnOneServer draws a queue with one server: its blocks and its number of arrival phases. Rates are at most so many
// decades apart. Arrivals come up to the given load.
func drawnOneServer(t *testing.T, r *rand.Rand, decades, load float64) (b Blocks, n int) {
	t.Helper()
	rate := func() float64 { return math.Pow(10, decades*(r.Float64()-.5)) }
	n, k := 1+r.IntN(4), 2+r.IntN(4)
	n = min(n, k)
	d0, d1, s := block.New(n, n), block.New(n, n), block.New(k, k)
	alpha, exit := make([]float64, k), make([]float64, k)
	for i := range n {
		for j := range n {
			d1.Row(i)[j] = rate() * float64(r.IntN(2))
			if i != j {
				d0.Row(i)[j] = rate()
			}
		}
		d1.Row(i)[i] += rate()
	}
	for i := range k {
		alpha[i], exit[i] = r.Float64(), rate()*float64(r.IntN(2))
		for j := range k {
			if i != j {
				s.Row(i)[j] = rate() * float64(r.IntN(2))
			}
		}
	}
	exit[k-1] = rate()
	for i := range k - 1 {
		s.Row(i)[i+1] += rate()
	}
	floats.Scale(1/block.Sum(alpha), alpha)
	times := s.Clone() // service times are unit times after the division of all rates by their mean
	f, err := block.FactorGTH(t.Context(), times, append([]float64(nil), exit...))
	if err != nil {
		t.Fatal(err)
	}
	mean := append([]float64(nil), alpha...)
	f.SolveLeft(mean)
	chain := d0.Clone()
	floats.Add(chain.Data, d1.Data)
	pi, err := block.StationaryGTH(t.Context(), chain)
	if err != nil {
		t.Fatal(err)
	}
	faster := load / floats.Dot(pi, d1.RowSums()) / block.Sum(mean)
	floats.Scale(faster, d0.Data)
	floats.Scale(faster, d1.Data)

	b = Blocks{Up: block.KronIdentity(d1, k), Local: block.KronIdentity(d0, k), Down: block.New(n*k, n*k)}
	for a := range n {
		for i := range k {
			floats.Add(b.Local.Row(a*k + i)[a*k:(a+1)*k], s.Row(i))
			floats.ScaleTo(b.Down.Row(a*k + i)[a*k:(a+1)*k], exit[i], alpha)
		}
	}
	return b, n
}

// TestOneServer: Newton's method and cyclic reduction find the same U, entry by entry, for random queues with one server. 20
// of 6,000 such queues are left to cyclic reduction.
func TestOneServer(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const queues = 300
	found := 0
	for k := range queues {
		load := []float64{.01, .3, .7, .9, .99, 1 - 1e-5, 1 - 1e-8}[k%7]
		b, n := drawnOneServer(t, r, float64(k%5), load)
		u, steps, ok, err := OneServer(t.Context(), b, n)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			t.Logf("queue %d: %d arrival phases, %d phases, load %v: not in %d steps", k, n, b.Local.Rows, load, steps)
			continue
		}
		found++
		want, _, _, err := cyclicReduction(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range u.Rows {
			for j, v := range u.Row(i) {
				if w := want.At(i, j); i != j && !(math.Abs(v-w) <= 40*float64(u.Rows+4)*block.UnitRoundoff*w) {
					t.Errorf("queue %d: %d arrival phases, load %v: U(%d, %d) = %v, %v by cyclic reduction", k, n, load, i, j, v, w)
				}
			}
		}
	}
	t.Logf("%d of %d queues by Newton's method", found, queues)
	if found < queues*98/100 {
		t.Error("Newton's method fails too often")
	}
}
