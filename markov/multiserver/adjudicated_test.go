package multiserver_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
)

// precision of the arithmetic that judges double precision, in bits: of its 96 digits elimination loses some tens on
// rates of twelve decades close to saturation.
const precision = 320

// exactMatrix is a matrix of such numbers.
type exactMatrix struct {
	rows, cols int
	v          []big.Float
}

func newExact(rows, cols int) *exactMatrix {
	m := &exactMatrix{rows, cols, make([]big.Float, rows*cols)}
	for i := range m.v {
		m.v[i].SetPrec(precision)
	}
	return m
}

func (m *exactMatrix) at(i, j int) *big.Float { return &m.v[i*m.cols+j] }

// addTo adds x to z unless it is too small to matter: sums of numbers far apart would be carried out to all the bits
// between them.
func addTo(z, x *big.Float) {
	switch d := z.MantExp(nil) - x.MantExp(nil); {
	case x.Sign() == 0 || z.Sign() != 0 && d > 2*precision:
	case z.Sign() == 0 || d < -2*precision:
		z.Set(x)
	default:
		z.Add(z, x)
	}
}

func (m *exactMatrix) clone() *exactMatrix {
	c := newExact(m.rows, m.cols)
	for i := range m.v {
		c.v[i].Set(&m.v[i])
	}
	return c
}

// plus adds f·a·b to a copy of m, f being 1 or −1.
func (m *exactMatrix) plus(f float64, a, b *exactMatrix) *exactMatrix {
	c := m.clone()
	var t, s big.Float
	t.SetPrec(precision)
	sign := big.NewFloat(f)
	for i := range a.rows {
		for k := range a.cols {
			if a.at(i, k).Sign() == 0 {
				continue
			}
			s.Mul(a.at(i, k), sign)
			for j := range b.cols {
				if b.at(k, j).Sign() != 0 {
					addTo(c.at(i, j), t.Mul(&s, b.at(k, j)))
				}
			}
		}
	}
	return c
}

func (m *exactMatrix) times(b *exactMatrix) *exactMatrix {
	return newExact(m.rows, b.cols).plus(1, m, b)
}

// over returns m⁻¹·b for a diagonally dominant m.
func (m *exactMatrix) over(b *exactMatrix) *exactMatrix {
	a, x := m.clone(), b.clone()
	var t, l big.Float
	t.SetPrec(precision)
	l.SetPrec(precision)
	for k := range a.rows {
		for i := range a.rows {
			if i == k || a.at(i, k).Sign() == 0 {
				continue
			}
			l.Quo(a.at(i, k), a.at(k, k))
			for j := k; j < a.cols; j++ {
				addTo(a.at(i, j), t.Neg(t.Mul(&l, a.at(k, j))))
			}
			for j := range x.cols {
				if x.at(k, j).Sign() != 0 {
					addTo(x.at(i, j), t.Neg(t.Mul(&l, x.at(k, j))))
				}
			}
		}
	}
	for i := range x.rows {
		for j := range x.cols {
			x.at(i, j).Quo(x.at(i, j), a.at(i, i))
		}
	}
	return x
}

func (m *exactMatrix) scaled(f *big.Float) *exactMatrix {
	c := m.clone()
	for i := range c.v {
		c.v[i].Mul(&c.v[i], f)
	}
	return c
}

// sum returns the sum of all entries.
func (m *exactMatrix) sum() *big.Float {
	s := new(big.Float).SetPrec(precision)
	for i := range m.v {
		addTo(s, &m.v[i])
	}
	return s
}

// largest returns the largest entry.
func (m *exactMatrix) largest() *big.Float {
	s := new(big.Float).SetPrec(precision)
	for i := range m.v {
		if a := new(big.Float).Abs(&m.v[i]); a.Cmp(s) > 0 {
			s = a
		}
	}
	return s
}

func exactIdentity(n int) *exactMatrix {
	m := newExact(n, n)
	for i := range n {
		m.at(i, i).SetInt64(1)
	}
	return m
}

// adjudicated is the stationary distribution of a queue in higher precision, from its chain written out state by state.
type adjudicated struct {
	e      *explicit
	levels []*exactMatrix // 0..c+1
	r      *exactMatrix
	sums   [3]*exactMatrix // Σ k(k−1)…·π_{c+1+k}
}

// blocks returns the rates out of a level; the diagonal of local is that of the generator.
func (e *explicit) blocks(l int) (up, local, down *exactMatrix) {
	c := e.q.Servers
	size := len(e.index[l])
	at := func(dl int) map[string]int { return e.index[min(max(l+dl, 0), c+1)] }
	lev := map[int]*exactMatrix{}
	for dl := -1; dl <= 1; dl++ {
		lev[dl] = newExact(size, len(at(dl)))
	}
	e.each(l, func(a int, n []int, kind string, k int) {
		row := e.index[l][state(a, n, kind, k)]
		e.from(l, a, n, kind, k, func(dl int, to string, rate float64) {
			col := at(dl)[to]
			r := big.NewFloat(rate)
			lev[dl].at(row, col).Add(lev[dl].at(row, col), r)
			lev[0].at(row, row).Sub(lev[0].at(row, row), r)
		})
	})
	return lev[1], lev[0], lev[-1]
}

var minusOne = big.NewFloat(-1)

// adjudicate solves the chain: the repeating part by logarithmic reduction, the boundary level by level, with some ninety
// digits.
func adjudicate(q *multiserver.Queue) *adjudicated {
	e := &explicit{q: q}
	c := q.Servers
	for l := range c + 2 {
		ix := map[string]int{}
		e.each(l, func(a int, n []int, kind string, k int) { ix[state(a, n, kind, k)] = len(ix) })
		e.index = append(e.index, ix)
	}
	up, local, down := e.blocks(c + 1)
	g := exactPassage(up, local, down)
	minU := local.plus(1, up, g).scaled(minusOne)
	r := up.times(minU.over(exactIdentity(up.rows)))

	ws := make([]*exactMatrix, c) // (−W_l)⁻¹·Up_l
	ups, downs := make([]*exactMatrix, c+1), make([]*exactMatrix, c+1)
	var w *exactMatrix
	for l := range c + 1 {
		ups[l], w, downs[l] = e.blocks(l)
		if l > 0 {
			w = w.plus(1, downs[l], ws[l-1])
		}
		if l < c {
			ws[l] = w.scaled(minusOne).over(exactIdentity(w.rows))
			ws[l] = ws[l].times(ups[l])
			ups[l] = w.scaled(minusOne).over(exactIdentity(w.rows)) // from here on (−W_l)⁻¹
		}
	}
	w = w.plus(1, ups[c], g)
	s := &adjudicated{e: e, r: r, levels: make([]*exactMatrix, c+2)}
	s.levels[c] = exactNull(w)
	for l := c; l > 0; l-- {
		s.levels[l-1] = s.levels[l].times(downs[l]).times(ups[l-1])
	}
	s.levels[c+1] = s.levels[c].times(ups[c]).times(minU.over(exactIdentity(up.rows)))
	rest := exactIdentity(r.rows).plus(-1, r, exactIdentity(r.rows))
	n := rest.over(exactIdentity(r.rows))
	s.sums[0] = s.levels[c+1].times(n)
	s.sums[1] = s.sums[0].times(r).times(n)
	s.sums[2] = s.sums[1].times(r).times(n).scaled(big.NewFloat(2))
	total := s.sums[0].sum()
	for _, x := range s.levels[:c+1] {
		addTo(total, x.sum())
	}
	f := new(big.Float).SetPrec(precision).Quo(big.NewFloat(1).SetPrec(precision), total)
	for l := range s.levels {
		s.levels[l] = s.levels[l].scaled(f)
	}
	for p := range s.sums {
		s.sums[p] = s.sums[p].scaled(f)
	}
	return s
}

// exactPassage returns the first passage probabilities G to the level below.
func exactPassage(up, local, down *exactMatrix) *exactMatrix {
	minus := local.scaled(minusOne)
	h, l := minus.over(up), minus.over(down)
	g, t := l.clone(), h.clone()
	id := exactIdentity(up.rows)
	for range 200 {
		u := id.plus(-1, h, l).plus(-1, l, h)
		h, l = u.over(h.times(h)), u.over(l.times(l))
		add := t.times(l)
		g = g.plus(1, add, id)
		if add.largest().MantExp(nil) < -precision+20 {
			return g
		}
		t = t.times(h)
	}
	panic("no convergence")
}

// exactNull returns x ≥ 0 with x·w = 0 for a generator with one closed class that the first state is of.
func exactNull(w *exactMatrix) *exactMatrix {
	n := w.rows
	rest := newExact(n-1, n-1) // transposed, without the first state
	rhs := newExact(n-1, 1)
	for i := 1; i < n; i++ {
		for j := 1; j < n; j++ {
			rest.at(j-1, i-1).Set(w.at(i, j))
		}
		rhs.at(i-1, 0).Neg(w.at(0, i))
	}
	x := newExact(1, n)
	x.at(0, 0).SetInt64(1)
	if n > 1 {
		for i, v := range rest.over(rhs).v {
			x.at(0, i+1).Set(&v)
		}
	}
	return x
}

// weighted returns Σ π(state)·f(level, occupancy, kind of switch-over, rate of arrivals) over all states, f for the levels above
// c being that of c+1.
func (s *adjudicated) weighted(f func(level int, n []int, kind string, arrivals float64) float64) *big.Float {
	total := new(big.Float).SetPrec(precision)
	add := func(l int, x *exactMatrix) {
		s.e.each(l, func(a int, n []int, kind string, k int) {
			d, _ := s.e.q.D1.Dims()
			rate := 0.0
			for b := range d {
				rate += s.e.q.D1.At(a, b)
			}
			if w := f(l, n, kind, rate); w != 0 {
				p := new(big.Float).Set(x.at(0, s.e.index[l][state(a, n, kind, k)]))
				addTo(total, p.Mul(p, big.NewFloat(w)))
			}
		})
	}
	for l := range s.e.q.Servers + 1 {
		add(l, s.levels[l])
	}
	add(s.e.q.Servers+1, s.sums[0])
	return total
}

// moments returns the mean and the variance of the level.
func (s *adjudicated) moments() (mean, variance *big.Float) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	first, second := number(0), number(0)
	c := s.e.q.Servers
	for l := range c + 1 {
		p := s.levels[l].sum()
		first.Add(first, number(0).Mul(p, number(float64(l))))
		second.Add(second, number(0).Mul(p, number(float64(l*l))))
	}
	k := float64(c + 1)
	m0, m1, m2 := s.sums[0].sum(), s.sums[1].sum(), s.sums[2].sum()
	first.Add(first, number(0).Mul(m0, number(k)))
	first.Add(first, m1)
	second.Add(second, number(0).Mul(m0, number(k*k)))
	second.Add(second, number(0).Mul(m1, number(2*k+1)))
	second.Add(second, m2)
	return first, second.Sub(second, number(0).Mul(first, first))
}

// waiting returns E[(level − c)⁺].
func (s *adjudicated) waiting() *big.Float {
	return new(big.Float).SetPrec(precision).Add(s.sums[0].sum(), s.sums[1].sum())
}

// level returns P(level = i).
func (s *adjudicated) level(i int) *big.Float {
	c := s.e.q.Servers
	if i <= c+1 {
		return s.levels[i].sum()
	}
	x, power := s.levels[c+1], s.r
	for k := i - c - 1; k > 0; k >>= 1 {
		if k&1 == 1 {
			x = x.times(power)
		}
		if k > 1 {
			power = power.times(power)
		}
	}
	return x.sum()
}

// decay returns the limit of P(level = i+1)/P(level = i), far out.
func (s *adjudicated) decay() *big.Float {
	power := s.r
	for range 60 {
		power = power.times(power)
		power = power.scaled(new(big.Float).SetPrec(precision).Quo(big.NewFloat(1), power.largest()))
	}
	x := s.levels[s.e.q.Servers+1].times(power)
	return new(big.Float).SetPrec(precision).Quo(x.times(s.r).sum(), x.sum())
}

// off returns the relative error of a number.
func off(got float64, want *big.Float) float64 {
	if want.Sign() == 0 || math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Abs(got)
	}
	d := new(big.Float).SetPrec(precision).SetFloat64(got)
	d.Quo(d.Sub(d, want), want)
	v, _ := d.Float64()
	return math.Abs(v)
}

// measured is one measure of a solution beside its value in higher precision.
type measured struct {
	name  string
	got   float64
	want  *big.Float
	level int // of a probability of a level, else −1
}

// atom returns the probability that a switch-over takes no time.
func (s *adjudicated) atom(kind string, l int) float64 {
	atom := 1.0
	for _, p := range s.e.switchOver(kind, l).Alpha {
		atom -= p
	}
	return atom
}

// all returns every measure of a solution.
func (s *adjudicated) all(sol *multiserver.Solution) []measured {
	c := s.e.q.Servers
	mean, variance := s.moments()
	lambda := s.weighted(func(_ int, _ []int, _ string, arrivals float64) float64 { return arrivals })
	wait := s.weighted(func(l int, _ []int, _ string, arrivals float64) float64 {
		if l < c {
			return 0
		}
		return arrivals
	})
	list := []measured{
		{"mean", sol.Mean(), mean, -1}, {"variance", sol.Variance(), variance, -1},
		{"waiting", sol.MeanWaiting(), s.waiting(), -1},
		{"wait", sol.ArrivalWaits(), wait.Quo(wait, lambda), -1},
		{"throughput", sol.Throughput(), lambda, -1},
		{"in service", sol.MeanInService(), s.weighted(func(l int, _ []int, kind string, _ float64) float64 {
			if kind != "" {
				return 0
			}
			return float64(min(l, c))
		}), -1},
		{"switching", sol.Switching(), s.weighted(func(_ int, _ []int, kind string, _ float64) float64 {
			if kind == "" {
				return 0
			}
			return 1
		}), -1},
		{"decay", sol.DecayRate(), s.decay(), -1},
	}
	up, down, cut := sol.SwitchRates()
	list = append(list,
		measured{"shrinks", up, s.weighted(func(l int, _ []int, _ string, arrivals float64) float64 {
			if l >= c {
				return 0
			}
			return arrivals * (1 - s.atom("up", l+1))
		}), -1},
		measured{"expands", down, s.weighted(func(l int, n []int, kind string, _ float64) float64 {
			if kind != "" || l < 2 || l > c {
				return 0
			}
			rate := 0.0
			for j, k := range n {
				rate += float64(k) * exitOf(s.e.service(l), j)
			}
			return rate * (1 - s.atom("down", l-1))
		}), -1},
		measured{"cut short", cut, s.weighted(func(l int, _ []int, kind string, arrivals float64) float64 {
			if kind == "" || l >= c {
				return 0
			}
			return arrivals
		}), -1})
	for _, l := range []int{0, 1, c, c + 1, c + 5, c + 40, c + 300, c + 2500} {
		list = append(list, measured{fmt.Sprintf("P(%d)", l), sol.Probability(l), s.level(l), l})
	}
	return list
}

// stiffness returns the decades of the rates of a queue.
func stiffness(q *multiserver.Queue) float64 {
	least, most := math.Inf(1), 0.0
	note := func(v float64) {
		if v = math.Abs(v); v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	each := func(m mat.Matrix) {
		if m == nil {
			return
		}
		r, c := m.Dims()
		for i := range r {
			for j := range c {
				note(m.At(i, j))
			}
		}
	}
	each(q.D0)
	each(q.D1)
	for _, list := range [][]multiserver.Phases{q.Service, q.OnArrival, q.OnDeparture} {
		for _, p := range list {
			each(p.T)
		}
	}
	return math.Log10(most / least)
}

// shape names what kind of queue it is.
func shape(q *multiserver.Queue) string {
	n, _ := q.D0.Dims()
	return strings.TrimSpace(fmt.Sprintf("c=%d m=%d n=%d switch-overs %d %.1f decades",
		q.Servers, len(q.Service[0].Alpha), n, len(q.OnArrival), stiffness(q)))
}
