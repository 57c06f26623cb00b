package markov

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/partwise/partwise/markov/internal/block"
)

// Stationary returns the stationary probability vector of a chain that is never left and has one closed class of
// states; those outside of it get zero. States are eliminated one by one as Grassmann, Taksar and Heyman do, without
// subtractions, next always the one by which the fewest pairs of others become neighbours; when those that remain are
// neighbours for the most part, they are solved as a dense block. Components are right relative to their own size,
// however small.
//
// It returns ErrReducible if there is no closed class or more than one, ErrTooLarge if the elimination fills up beyond
// a dense block of 8,000 states, ErrInaccurate, with the vector, if the residual is above 1e-10, and the error of ctx
// soon after that ends.
//
// References: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33 (1985) 1107–1116; H. M. Markowitz, The
// elimination form of the inverse and its application to linear programming, Management Sci. 3 (1957) 255–269, for the
// order.
func (c *Chain) Stationary(ctx context.Context) ([]float64, Diagnostics, error) {
	pi, d, err := c.stationary(ctx)
	if ctx.Err() != nil {
		return nil, Diagnostics{}, prefixed(ctx.Err())
	}
	return pi, d, prefixed(err)
}

func (c *Chain) stationary(ctx context.Context) ([]float64, Diagnostics, error) {
	began := time.Now()
	if c == nil || c.States() == 0 {
		return nil, Diagnostics{}, fmt.Errorf("a chain without states: %w", ErrReducible)
	}
	class, err := c.closedClass(ctx)
	if err != nil {
		return nil, Diagnostics{}, err
	}
	if class == nil {
		return nil, Diagnostics{}, fmt.Errorf("the chain is left for good from every state: %w", ErrReducible)
	}
	e, err := newElimination(ctx, c, class)
	if err != nil {
		return nil, Diagnostics{}, err
	}
	x, err := e.solve(ctx)
	if err != nil {
		return nil, Diagnostics{}, err
	}
	pi := make([]float64, c.States())
	for i, p := range x {
		pi[class[i]] = p
	}
	d := Diagnostics{
		Method: "elimination", Residual: c.residual(pi), States: c.States(), Seconds: time.Since(began).Seconds(),
	}
	d.ErrorBound = gthBound(len(class)) + d.Residual
	return pi, d, d.Check(0)
}

// When elimination turns dense: the share of neighbours among the remaining states, and how many states a dense block
// may have.
const (
	denseShare  = 0.3
	fewStates   = 40
	mostInDense = 8000
)

// transition is an entry of a sparse row.
type transition struct {
	to   int32
	rate float64
}

// elimination is a chain some of whose states are eliminated: the rates among the others are those of the chain
// observed on them.
type elimination struct {
	rows       [][]transition // of the remaining states, to remaining states
	preds      [][]int32      // states that lead, or led before they were eliminated, to each state
	in         []int          // how many still do
	eliminated []bool
	order      []int32        // in which states were eliminated
	from       [][]transition // by eliminated state: q_ik/s_k for the states i that led to it
	queue      stateQueue
	left       int
	entries    int
	place      []int32 // of a state in the row at hand, plus one
}

func newElimination(ctx context.Context, c *Chain, class []int32) (*elimination, error) {
	n := len(class)
	index := make([]int32, c.States())
	for i, s := range class {
		index[s] = int32(i)
	}
	e := &elimination{
		rows: make([][]transition, n), preds: make([][]int32, n), in: make([]int, n), eliminated: make([]bool, n),
		from: make([][]transition, n), left: n, place: make([]int32, n),
	}
	for i, s := range class {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to, rates := c.row(int(s))
		e.rows[i] = make([]transition, len(to))
		for k, t := range to {
			j := index[t]
			e.rows[i][k] = transition{j, rates[k]}
			e.preds[j] = append(e.preds[j], int32(i))
			e.in[j]++
		}
		e.entries += len(to)
	}
	for i := range n {
		e.queue = append(e.queue, queued{e.fill(int32(i)), int32(i)})
	}
	heap.Init(&e.queue)
	return e, nil
}

// fill is how many pairs of neighbours the elimination of a state makes at most, its Markowitz count.
func (e *elimination) fill(i int32) int { return e.in[i] * len(e.rows[i]) }

// solve eliminates as long as rows are sparse, solves the rest, and finds the eliminated states by back substitution.
func (e *elimination) solve(ctx context.Context) ([]float64, error) {
	for e.left > fewStates && float64(e.entries) < denseShare*float64(e.left)*float64(e.left) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q := heap.Pop(&e.queue).(queued)
		if e.eliminated[q.state] || q.fill != e.fill(q.state) {
			continue
		}
		e.eliminate(q.state)
	}
	x, err := e.solveDense(ctx)
	if err != nil {
		return nil, err
	}
	dense := slices.Clone(x)
	for o := len(e.order) - 1; o >= 0; o-- {
		k := e.order[o]
		for _, f := range e.from[k] {
			x[k] += x[f.to] * f.rate
		}
	}
	if block.OutOfRange(x) {
		x = e.wideSubstitution(dense)
	}
	return normalised(x), nil
}

// wideSubstitution finds the eliminated states from the others with exponents of their own.
func (e *elimination) wideSubstitution(dense []float64) []float64 {
	x := make([]block.Wide, len(dense))
	for i, v := range dense {
		x[i] = block.WideOf(v)
	}
	for o := len(e.order) - 1; o >= 0; o-- {
		k := e.order[o]
		for _, f := range e.from[k] {
			x[k].AddProduct(x[f.to], f.rate)
		}
	}
	return block.Narrowed(x)
}

// eliminate removes state k: transitions to it go on to where k leads.
func (e *elimination) eliminate(k int32) {
	row := e.rows[k]
	total := 0.0
	for _, t := range row {
		total += t.rate
	}
	for _, i := range e.preds[k] {
		if !e.eliminated[i] {
			e.bypass(i, k, row, total)
		}
	}
	e.eliminated[k] = true
	e.left--
	e.entries -= len(row)
	for _, t := range row {
		e.in[t.to]--
	}
	for _, t := range row {
		heap.Push(&e.queue, queued{e.fill(t.to), t.to})
	}
	for _, f := range e.from[k] {
		heap.Push(&e.queue, queued{e.fill(f.to), f.to})
	}
	e.order = append(e.order, k)
	e.rows[k], e.preds[k] = nil, nil
}

// bypass leads the transitions of state i to k on.
func (e *elimination) bypass(i, k int32, row []transition, total float64) {
	mine := e.rows[i]
	share := 0.0
	for p, t := range mine {
		e.place[t.to] = int32(p + 1)
	}
	at := e.place[k] - 1
	share = mine[at].rate / total
	e.place[k] = 0
	last := len(mine) - 1
	if int(at) != last {
		mine[at] = mine[last]
		e.place[mine[at].to] = at + 1
	}
	mine = mine[:last]
	e.entries--
	for _, t := range row {
		switch p := e.place[t.to]; {
		case t.to == i:
		case p > 0:
			mine[p-1].rate += share * t.rate
		default:
			mine = append(mine, transition{t.to, share * t.rate})
			e.preds[t.to] = append(e.preds[t.to], i)
			e.in[t.to]++
			e.entries++
		}
	}
	for _, t := range mine {
		e.place[t.to] = 0
	}
	e.rows[i] = mine
	e.from[k] = append(e.from[k], transition{i, share})
}

// solveDense returns the stationary vector of the states that are left, zeros for the others.
func (e *elimination) solveDense(ctx context.Context) ([]float64, error) {
	if e.left > mostInDense {
		return nil, fmt.Errorf("elimination of %d states leaves %d that are all neighbours: %w",
			len(e.rows), e.left, ErrTooLarge)
	}
	var states []int32
	for i, done := range e.eliminated {
		if !done {
			e.place[i] = int32(len(states))
			states = append(states, int32(i))
		}
	}
	p := block.New(len(states), len(states))
	for i, s := range states {
		for _, t := range e.rows[s] {
			p.Row(i)[e.place[t.to]] = t.rate
		}
	}
	y, err := block.StationaryGTH(ctx, p)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(e.rows))
	for i, s := range states {
		x[s] = y[i]
	}
	return x, nil
}

// queued is a state with the fill it had when it was queued.
type queued struct {
	fill  int
	state int32
}

// stateQueue is a heap of states, the least fill first, the first of equals the one of the smaller number.
type stateQueue []queued

func (q stateQueue) Len() int { return len(q) }
func (q stateQueue) Less(i, j int) bool {
	return q[i].fill < q[j].fill || q[i].fill == q[j].fill && q[i].state < q[j].state
}
func (q stateQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *stateQueue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *stateQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
