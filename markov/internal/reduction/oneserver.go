// This file solves the repeating part of a queue with one server.
//
// Phases of a level are pairs of an arrival phase and a service phase. Jobs begin service in phases that do not depend on
// the past, so a first passage forgets everything but the arrival phase. Let G be the n×n matrix of the arrival phases in
// which busy periods end: the time from the beginning of one service to a lower level. It does not depend on the order of
// service. If each job is served when it comes, in the middle of a service, a busy period of its own is inserted there. So
//
//	G = F(G) = (I⊗α)·M(G)⁻¹·(I⊗exit),   M(G) = −((D0 + D1·G) ⊕ S).
//
// Newton's method finds the correction E of an approximate G from
//
//	E − (I⊗α)·M⁻¹·(D1·E⊗I)·M⁻¹·(I⊗exit) = F(G) − G.
//
// The rows of G sum to one, so those of E sum to zero, which leaves n·(n−1) unknowns. The equations are regular up to
// saturation. Each M(G) is eliminated with known row sums. Differences occur in E only, and the last F(G) has none. Errors
// of G decrease from one F to the next as errors of a functional iteration: at least by the decay rate of the queue.
//
// With k service phases a step costs some (n·k)³·2/3 operations, and a reduction 12.7·(n·k)³ for each halving. Five or
// six steps take the place of three to ten halvings. The equations for E take n⁶·2/3 operations, so the method pays up to
// about as many arrival phases as service phases: mostArrivalPhases.
//
// References: D. M. Lucantoni, V. Ramaswami, Efficient algorithms for solving the non-linear matrix equations arising in
// phase type queues, Comm. Statist. Stoch. Models 1 (1985) 29–51; G. Latouche, Newton's iteration for non-linear equations
// in Markov chains, IMA J. Numer. Anal. 14 (1994) 583–598.

package reduction

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// oneServer is a queue with one server.
type oneServer struct {
	Blocks
	n, k        int       // arrival phases, service phases
	alpha, exit []float64 // initial probabilities of service, and rates at which it ends
	leftOut     []int     // by row of G, the column of its largest entry

	room     block.Matrix // of g and next
	g, next  block.Matrix // G and F(G), n×n
	rates    block.Matrix // M(G) off the diagonal, then its factors
	sojourns block.Matrix // (I⊗α)·M⁻¹, n×n·k: times in phases from the beginning of a service
	passages block.Matrix // M⁻¹·(I⊗exit), n·k×n: arrival phases in which first passages end, by phase of the level
}

// The method takes at most mostNewtonSteps steps: the error of G squares with each, once it is small. It has converged
// when no entry of F(G) differs from G by more than settledPassage of itself, a few roundings of M⁻¹.
const (
	mostNewtonSteps   = 12
	settledPassage    = 32 * block.UnitRoundoff
	mostArrivalPhases = 8
)

// OneServer finds U of a queue with one server, n arrival phases and blocks Up = D1⊗I, Local = D0⊕S and Down =
// I⊗(exit·α), as [Method.Reduce] does. First passages must be certain. ok is false if the method does not pay or does
// not converge; a reduction then takes its place. The error is the error of ctx.
func OneServer(ctx context.Context, b Blocks, n int) (u block.Matrix, iterations int, ok bool, err error) {
	if n > min(b.Local.Rows/n, mostArrivalPhases) {
		return u, 0, false, nil
	}
	q := newOneServer(b, n)
	defer q.release()
	for step := 1; step <= mostNewtonSteps; step++ {
		if q.follow(ctx) != nil {
			return u, step, false, ctx.Err()
		}
		if block.LargestChange(q.g.Data, q.next.Data) <= settledPassage {
			return q.censored(ctx), step, true, ctx.Err()
		}
		q.correct(ctx)
	}
	return u, mostNewtonSteps, false, ctx.Err()
}

// newOneServer returns the queue with G = I: arrivals during a busy period are in the phase in which it began.
func newOneServer(b Blocks, n int) *oneServer {
	k := b.Local.Rows / n
	room := block.NewRaw(2*n, n)
	q := &oneServer{
		Blocks: b, n: n, k: k, alpha: make([]float64, k), exit: make([]float64, k), leftOut: make([]int, n),
		room: room, g: room.RowRange(0, n), next: room.RowRange(n, 2*n),
		rates: block.NewRaw(n*k, n*k), sojourns: block.NewRaw(n, n*k), passages: block.NewRaw(n*k, n),
	}
	copy(q.g.Data, block.Identity(n).Data)
	for i := range k {
		q.exit[i] = block.Sum(b.Down.Row(i))
	}
	fastest := slices.Index(q.exit, slices.Max(q.exit))
	floats.ScaleTo(q.alpha, 1/q.exit[fastest], b.Down.Row(fastest)[:k])
	return q
}

// release releases the storage.
func (q *oneServer) release() {
	q.room.Release()
	q.rates.Release()
	q.sojourns.Release()
	q.passages.Release()
}

// follow sets next to F(G), and sojourns and passages of M(G). The error is that of [block.FactorGTH].
func (q *oneServer) follow(ctx context.Context) error {
	copy(q.rates.Data, q.Local.Data)
	for a := range q.n {
		for b := range q.n {
			rate := 0.0 // of D1·G
			for c := range q.n {
				rate += q.Up.At(a*q.k, c*q.k) * q.g.At(c, b)
			}
			for i := range q.k {
				q.rates.Row(a*q.k + i)[b*q.k+i] += rate
			}
		}
	}
	f, err := block.FactorGTH(ctx, q.rates, slices.Repeat(q.exit, q.n))
	if err != nil {
		return err
	}
	clear(q.sojourns.Data)
	clear(q.passages.Data)
	for a := range q.n {
		copy(q.sojourns.Row(a)[a*q.k:], q.alpha)
		for i, v := range q.exit {
			q.passages.Row(a*q.k + i)[a] = v
		}
	}
	f.SolveLeftRows(ctx, q.sojourns)
	f.Solve(ctx, q.passages)
	for a := range q.n {
		row := q.next.Row(a)
		clear(row)
		for i, p := range q.alpha {
			floats.AddScaled(row, p, q.passages.Row(a*q.k+i))
		}
		floats.Scale(1/block.Sum(row), row)
	}
	return ctx.Err()
}

// correct adds E to G.
//
// The unknowns are all entries of E but one in each row, which is minus the sum of the others: the entry for the largest
// of the row of G. So small entries of G keep their digits. With C = (I⊗α)·M⁻¹·(D1⊗I), the share of unknown (c, b) in
// the equation of (a, d) is Σ_i C_a,(c,i)·(passages_(b,i),d − passages_(l,i),d), where (c, l) is left out.
func (q *oneServer) correct(ctx context.Context) {
	n := q.n
	for a := range n {
		q.leftOut[a] = floats.MaxIdx(q.g.Row(a))
	}
	unknowns := n * (n - 1)
	m, e := block.NewRaw(unknowns, unknowns), block.NewRaw(1, unknowns)
	defer e.Release()
	coming, shares := block.Mul(ctx, q.sojourns, q.Up), block.NewRaw(n, n)
	defer shares.Release()
	unknown := 0
	for c := range n {
		for b := range n {
			if b != q.leftOut[c] {
				q.setShares(shares, coming, c, b)
				q.listUnknowns(m.Row(unknown), shares)
				unknown++
			}
		}
	}
	floats.SubTo(shares.Data, q.next.Data, q.g.Data)
	q.listUnknowns(e.Data, shares)
	f := block.FactorLU(ctx, m)
	f.SolveLeft(e.Data)
	f.Release()
	q.add(e.Data)
}

// setShares sets shares to the shares of unknown (c, b) in all equations; coming is C.
func (q *oneServer) setShares(shares, coming block.Matrix, c, b int) {
	clear(shares.Data)
	for i := range q.k {
		more, less := q.passages.Row(b*q.k+i), q.passages.Row(q.leftOut[c]*q.k+i)
		for a := range q.n {
			v := coming.At(a, c*q.k+i)
			row := shares.Row(a)
			for d, w := range more {
				row[d] -= v * (w - less[d])
			}
		}
	}
	shares.Data[c*q.n+b]++
}

// listUnknowns lists the entries of an n×n matrix that belong to unknowns.
func (q *oneServer) listUnknowns(list []float64, all block.Matrix) {
	at := 0
	for a, leftOut := range q.leftOut {
		for b, v := range all.Row(a) {
			if b != leftOut {
				list[at] = v
				at++
			}
		}
	}
}

// add adds E, given by its unknowns, to G. If an entry becomes negative, G is still far from the solution: the row of F(G)
// takes the place of its row.
func (q *oneServer) add(e []float64) {
	for a, leftOut := range q.leftOut {
		row := q.g.Row(a)
		rest := 1.0
		for b := range row {
			if b != leftOut {
				row[b] += e[0]
				rest -= row[b]
				e = e[1:]
			}
		}
		row[leftOut] = rest
		if floats.Min(row) < 0 {
			copy(row, q.next.Row(a))
		}
	}
}

// censored returns U = Local + Up·passages·(I⊗α), off the diagonal.
func (q *oneServer) censored(ctx context.Context) block.Matrix {
	u := q.Local.Clone()
	higher := block.Mul(ctx, q.Up, q.passages)
	for i := range u.Rows {
		for b, v := range higher.Row(i) {
			floats.AddScaled(u.Row(i)[b*q.k:(b+1)*q.k], v, q.alpha)
		}
	}
	return u
}
