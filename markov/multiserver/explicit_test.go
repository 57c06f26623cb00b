package multiserver_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/multiserver"
)

// explicit builds the chain of a queue state by state, from what its documentation says and nothing that its
// solver uses: every state of every level up to c+1 has a name, every transition is written down once.
type explicit struct {
	q     *multiserver.Queue
	index []map[string]int // by level 0..c+1
}

func state(a int, n []int, change string, c int) string { return fmt.Sprint(a, n, change, c) }

func (e *explicit) service(l int) multiserver.Phases {
	if len(e.q.Service) == 1 {
		return e.q.Service[0]
	}
	return e.q.Service[min(l, e.q.Servers)-1]
}

func (e *explicit) switchOver(kind string, l int) multiserver.Phases {
	list := e.q.OnArrival
	if kind == "down" {
		list = e.q.OnDeparture
	}
	if l < 1 || l > len(list) || l > e.q.Servers || (kind == "down" && l == e.q.Servers) {
		return multiserver.Phases{}
	}
	return list[l-1]
}

func exitOf(p multiserver.Phases, i int) float64 {
	if p.Exit != nil {
		return p.Exit[i]
	}
	total := 0.0
	for j := range p.Alpha {
		total -= p.T.At(i, j)
	}
	return max(0, total)
}

// enter calls add for every way to be at level l with occupancy n in arrival phase a when the switch-over of a kind
// begins.
func (e *explicit) enter(kind string, l, a int, n []int, add func(to string, p float64)) {
	g := e.switchOver(kind, l)
	rest := 1.0
	for c, p := range g.Alpha {
		rest -= p
		if p > 0 {
			add(state(a, n, kind, c), p)
		}
	}
	if rest > 1e-14 {
		add(state(a, n, "", 0), rest)
	}
}

// mapped calls add for every outcome of the phase map on the jobs n at a change from l to m.
func (e *explicit) mapped(n []int, l, m int, add func(n []int, p float64)) {
	var phi mat.Matrix
	if e.q.PhaseMap != nil && l >= 1 && m >= 1 {
		phi = e.q.PhaseMap(l, m)
	}
	if phi == nil {
		add(n, 1)
		return
	}
	var jobs []int
	for j, k := range n {
		for range k {
			jobs = append(jobs, j)
		}
	}
	out := make([]int, len(n))
	var draw func(i int, p float64)
	draw = func(i int, p float64) {
		if i == len(jobs) {
			add(append([]int(nil), out...), p)
			return
		}
		for to := range n {
			if v := phi.At(jobs[i], to); v > 0 {
				out[to]++
				draw(i+1, p*v)
				out[to]--
			}
		}
	}
	draw(0, 1)
}

// from calls add(dl, to, rate) for every transition of a state.
func (e *explicit) from(l, a int, n []int, kind string, c int, add func(dl int, to string, rate float64)) {
	phases, _ := e.q.D0.Dims()
	for b := range phases {
		if r := e.q.D0.At(a, b); b != a && r > 0 {
			add(0, state(b, n, kind, c), r)
		}
		if r := e.q.D1.At(a, b); r > 0 {
			e.arrive(l, b, n, kind, c, func(to string, p float64) { add(1, to, r*p) })
		}
	}
	if kind != "" {
		g := e.switchOver(kind, min(l, e.q.Servers))
		for d := range g.Alpha {
			if r := g.T.At(c, d); d != c && r > 0 {
				add(0, state(a, n, kind, d), r)
			}
		}
		if r := exitOf(g, c); r > 0 {
			add(0, state(a, n, "", 0), r)
		}
		return
	}
	e.serve(l, a, n, add)
}

func (e *explicit) arrive(l, a int, n []int, kind string, c int, add func(to string, p float64)) {
	if l >= e.q.Servers {
		add(state(a, n, kind, c), 1)
		return
	}
	e.mapped(n, l, l+1, func(n []int, p float64) {
		for j, beta := range e.service(l + 1).Alpha {
			if beta > 0 {
				n[j]++
				e.enter("up", l+1, a, n, func(to string, q float64) { add(to, p*beta*q) })
				n[j]--
			}
		}
	})
}

func (e *explicit) serve(l, a int, n []int, add func(dl int, to string, rate float64)) {
	if l == 0 {
		return
	}
	b, speed := e.service(l), e.speeds(l, n)
	for j, k := range n {
		if k == 0 {
			continue
		}
		for i := range n {
			if r := b.T.At(j, i); i != j && r > 0 {
				n[j]--
				n[i]++
				add(0, state(a, n, "", 0), float64(k)*r*speed[j])
				n[i]--
				n[j]++
			}
		}
		r := float64(k) * exitOf(b, j) * speed[j]
		if r == 0 {
			continue
		}
		n[j]--
		if l > e.q.Servers {
			for i, beta := range b.Alpha {
				if beta > 0 {
					n[i]++
					add(-1, state(a, n, "", 0), r*beta)
					n[i]--
				}
			}
		} else {
			e.mapped(n, l, l-1, func(n []int, p float64) {
				e.enter("down", l-1, a, n, func(to string, q float64) { add(-1, to, r*p*q) })
			})
		}
		n[j]++
	}
}

// speeds returns the factors of the service rates by phase for the occupancy n at level l.
func (e *explicit) speeds(l int, n []int) []float64 {
	speed := slices.Repeat([]float64{1}, len(n))
	if e.q.Speed != nil && l < e.q.Servers {
		occupancy := make([]int32, len(n))
		for j, k := range n {
			occupancy[j] = int32(k)
		}
		e.q.Speed(occupancy, speed)
	}
	return speed
}

// each calls f for every state of a level.
func (e *explicit) each(l int, f func(a int, n []int, kind string, c int)) {
	phases, _ := e.q.D0.Dims()
	m := len(e.q.Service[0].Alpha)
	n := make([]int, m)
	var place func(j, left int)
	place = func(j, left int) {
		if j == m-1 {
			n[j] = left
			for a := range phases {
				f(a, n, "", 0)
				for _, kind := range []string{"up", "down"} {
					for c := range e.switchOver(kind, min(l, e.q.Servers)).Alpha {
						f(a, n, kind, c)
					}
				}
			}
			return
		}
		for k := range left + 1 {
			n[j] = k
			place(j+1, left-k)
		}
	}
	place(0, min(l, e.q.Servers))
}

// qbd returns the blocks, with c+1 boundary levels, and which phases of level c are switch-overs.
func (e *explicit) qbd() *markov.QBD {
	c := e.q.Servers
	for l := range c + 2 {
		ix := map[string]int{}
		e.each(l, func(a int, n []int, kind string, k int) { ix[state(a, n, kind, k)] = len(ix) })
		e.index = append(e.index, ix)
	}
	level := func(l int) markov.Level {
		size := len(e.index[l])
		at := func(dl int) map[string]int { return e.index[min(l+dl, c+1)] }
		lev := map[int]*mat.Dense{0: mat.NewDense(size, size, nil), 1: mat.NewDense(size, len(at(1)), nil)}
		if l > 0 {
			lev[-1] = mat.NewDense(size, len(at(-1)), nil)
		}
		e.each(l, func(a int, n []int, kind string, k int) {
			row := e.index[l][state(a, n, kind, k)]
			e.from(l, a, n, kind, k, func(dl int, to string, rate float64) {
				col, ok := at(dl)[to]
				if !ok {
					panic("no state " + to)
				}
				lev[dl].Set(row, col, lev[dl].At(row, col)+rate)
			})
		})
		out := markov.Level{Up: lev[1], Local: lev[0]}
		if l > 0 {
			out.Down = lev[-1]
		}
		return out
	}
	q := &markov.QBD{Repeating: level(c + 1)}
	for l := range c + 1 {
		q.Boundary = append(q.Boundary, level(l))
	}
	return q
}

// switching returns P(switch-over) of a solution of the explicit chain: summed until a level holds less than an ulp of
// what is found, which may be little itself. At traffic intensity 0.95 all levels beyond hold twenty times that.
func (e *explicit) switching(s *markov.QBDSolution) float64 {
	const ulp, leastFound = 1e-16, 1e-14
	total := 0.0
	for l := 0; l < 2000; l++ {
		x := s.Level(l)
		for name, i := range e.index[min(l, e.q.Servers+1)] {
			if strings.Contains(name, "up") || strings.Contains(name, "down") {
				total += x[i]
			}
		}
		if l > e.q.Servers && mat.Sum(mat.NewVecDense(len(x), x)) < ulp*max(total, leastFound) {
			break
		}
	}
	return total
}

// drawPhases draws a phase-type time of order m with the given mean; with atom, the initial probabilities may sum to
// less than 1.
func drawPhases(t *rapid.T, m int, mean float64, atom, cyclic bool, label string) multiserver.Phases {
	weight := rapid.Float64Range(0, 1)
	p := multiserver.Phases{Alpha: make([]float64, m)}
	total := 0.0
	for i := range p.Alpha {
		p.Alpha[i] = weight.Draw(t, label) + 1e-3
		total += p.Alpha[i]
	}
	if atom {
		total *= 1.3
	}
	for i := range p.Alpha {
		p.Alpha[i] /= total
	}
	s := mat.NewDense(m, m, nil)
	for i := range m {
		out := 0.2 + weight.Draw(t, label)
		for j := range m {
			if j > i || (cyclic && j != i) {
				r := weight.Draw(t, label)
				s.Set(i, j, r)
				out += r
			}
		}
		s.Set(i, i, -out)
	}
	m1 := phasesMean(p.Alpha, s)
	s.Scale(m1/mean, s)
	p.T = s
	return p
}

func phasesMean(alpha []float64, s *mat.Dense) float64 {
	var inv mat.Dense
	if err := inv.Inverse(s); err != nil {
		panic(err)
	}
	mean, mass := 0.0, 0.0
	for i, a := range alpha {
		mean -= a * mat.Sum(inv.Slice(i, i+1, 0, len(alpha)))
		mass += a
	}
	return mean / mass
}

// drawQueue draws a queue of any shape with traffic intensity up to the given one.
func drawQueue(t *rapid.T, most float64) *multiserver.Queue {
	m := rapid.IntRange(1, 3).Draw(t, "phases")
	c := rapid.IntRange(1, 5-m).Draw(t, "servers")
	cyclic := rapid.Bool().Draw(t, "cyclic")
	rho := rapid.Float64Range(0.01, most).Draw(t, "rho")
	q := &multiserver.Queue{Servers: c}
	for i := range c {
		q.Service = append(q.Service, drawPhases(t, m, 1+0.5*float64(c-i), false, cyclic, "service"))
	}
	rate := rho * float64(c) / 1.5
	arr := drawPhases(t, rapid.IntRange(1, 2).Draw(t, "arrival phases"), 1/rate, false, cyclic, "arrivals")
	if rapid.Bool().Draw(t, "renewal") {
		r := renewalQueue(arr.Alpha, mat.DenseCopyOf(arr.T))
		q.D0, q.D1 = r.D0, r.D1
	} else {
		q.D0, q.D1 = drawMAP(t, len(arr.Alpha), rate)
	}
	for i := 1; i <= c; i++ {
		for _, list := range []*[]multiserver.Phases{&q.OnArrival, &q.OnDeparture} {
			if (list == &q.OnDeparture && i == c) || !rapid.Bool().Draw(t, "costs") {
				*list = append(*list, multiserver.Phases{})
				continue
			}
			s := rapid.IntRange(1, 2).Draw(t, "switch-over phases")
			atom := rapid.Bool().Draw(t, "atom")
			mean := rapid.Float64Range(0.01, 2).Draw(t, "mean")
			*list = append(*list, drawPhases(t, s, mean, atom, cyclic, "switch-over"))
		}
	}
	if rapid.Bool().Draw(t, "speeds") {
		growth := rapid.Float64Range(0.2, 3).Draw(t, "speed growth")
		q.Speed = func(occupancy []int32, speed []float64) {
			for j, n := range occupancy {
				speed[j] = math.Pow(growth, float64(n)) * float64(j+1)
				if n == 0 { // does not matter
					speed[j] = math.Inf(1)
				}
			}
		}
	}
	if rapid.Bool().Draw(t, "phase map") {
		phi := mat.NewDense(m, m, nil)
		for i := range m {
			for j := range m {
				phi.Set(i, j, 0.1/float64(m))
			}
			phi.Set(i, i, phi.At(i, i)+0.9)
		}
		q.PhaseMap = func(i, j int) mat.Matrix {
			if (i+j)%3 == 0 {
				return nil
			}
			return phi
		}
	}
	return q
}

func drawMAP(t *rapid.T, n int, rate float64) (d0, d1 *mat.Dense) {
	weight := rapid.Float64Range(0.01, 1)
	d0, d1 = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		out := 0.0
		for j := range n {
			if j != i {
				d0.Set(i, j, weight.Draw(t, "D0"))
				out += d0.At(i, j)
			}
			d1.Set(i, j, weight.Draw(t, "D1"))
			out += d1.At(i, j)
		}
		d0.Set(i, i, -out)
	}
	var sum mat.Dense
	sum.Add(d0, d1)
	pi, err := markov.Stationary(t.Context(), &sum)
	if err != nil {
		t.Fatal(err)
	}
	lambda := 0.0
	for i, p := range pi {
		lambda += p * mat.Sum(d1.Slice(i, i+1, 0, n))
	}
	d0.Scale(rate/lambda, d0)
	d1.Scale(rate/lambda, d1)
	return d0, d1
}

// explicitTol: two eliminations of the same chain in different order; the condition at traffic intensity 0.95 costs two
// of fifteen digits, small random rates another.
const explicitTol = 1e-11

func TestStructureAgainstExplicitChain(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawQueue(t, 0.95)
		got, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		e := &explicit{q: q}
		want, err := e.qbd().Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= explicitTol*math.Abs(want)) {
				t.Errorf("%s = %.15g, explicit %.15g", what, got, want)
			}
		}
		check("mean", got.Mean(), want.Mean())
		check("variance", got.Variance(), want.Variance())
		for l := range q.Servers + 4 {
			check(fmt.Sprintf("P(%d)", l), got.Probability(l), want.Probability(l))
		}
		check("switching", got.Switching(), e.switching(want))
		check("throughput", got.Throughput(), got.ArrivalRate())
		up, down, cut := got.SwitchRates()
		if up < 0 || down < 0 || cut < 0 || cut > up+down {
			t.Errorf("switch rates %v %v %v", up, down, cut)
		}
	})
}
