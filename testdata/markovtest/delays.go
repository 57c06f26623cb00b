package markovtest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
)

// Queue is a first come, first served MAP/PH/c queue. Arrivals have the rates D0 and D1. Service is PH(Alpha, T) at each server,
// and ends in each phase with the rate in Exit. The diagonals of D0 and T are not read.
type Queue struct {
	D0, D1      mat.Matrix
	Servers     int
	Alpha, Exit []float64
	T           mat.Matrix
}

// Delays are the distributions of the waiting time W and of the response time of a [Queue], with 31 digits. Let x hold the
// probabilities of c jobs, d the rates of arrivals by phase, and R the rate matrix of the levels above c. L and V are the
// transitions of c busy servers without and with a departure. A job that finds c+k jobs waits for k+1 departures. So
//
//	P(W > t) = x·U(t)·1/λ,   U(t) = Σ_k R^k·(d⊗I)·P(at most k departures until t; occupancy).
//
// U solves U' = U·L + R·U·V from U(0) = (I−R)⁻¹·(d⊗I). The entries of U are one vector here, followed by the phases of the job in
// service.
type Delays struct {
	start     []twofold // of the vector, divided by λ
	waits     []twofold // weights of the vector in P(W > t); 0 for phases of service
	generator *matrix
	step      float64   // h, a power of two
	moves     []*matrix // moves[k] = e^{generator·h·2^k}
}

// NewDelays returns the delays of a stable queue. It panics as [Solve] does.
func NewDelays(q *Queue) *Delays {
	s := Solve(q.qbd())
	c, phases := q.Servers, len(q.Alpha)
	busy := occupanciesOf(c, phases)
	n := s.r.rows * len(busy)
	d := &Delays{start: make([]twofold, n+phases), waits: make([]twofold, n+phases), generator: newMatrix(n+phases, n+phases)}
	d.begin(q, s, len(busy))
	d.fill(s.r, s.levels[c], exact(q.local(busy)), exact(q.departures(busy, busy)), q)
	fastest := 0.0
	for i := range n + phases {
		fastest = max(fastest, -d.generator.row(i)[i].hi)
	}
	_, exponent := math.Frexp(16 * fastest)
	d.step = math.Ldexp(1, -exponent)
	return d
}

// begin sets the vector of an arriving job, and the weights of those that wait.
func (d *Delays) begin(q *Queue, s *Solution, k int) {
	order, x, rates := s.r.rows, s.levels[q.Servers], rowSums(exact(q.D1))
	sum, power := newMatrix(order, order), s.r // Σ R^i is the product of all 1 + R^(2^i)
	for i := range order {
		sum.row(i)[i] = double(1)
	}
	for largest(power.v) > 1e-40*largest(sum.v) {
		sum = sum.clone().addProduct(sum, power)
		power = power.times(power)
	}
	lambda := s.flow(rates)
	for a := range order {
		for b := range order {
			to := &d.start[a*k+b%k]
			*to = to.plus(sum.row(a)[b].times(rates[b/k]).over(lambda))
		}
		for j := range k {
			d.waits[a*k+j] = x[a]
		}
	}
	atOnce := double(1).minus(dot(d.start, d.waits))
	for j, p := range q.Alpha {
		d.start[order*k+j] = atOnce.times(double(p))
	}
}

// flow returns Σ p·rate over all states, given the rates by phase of the arrivals.
func (s *Solution) flow(rates []twofold) (sum twofold) {
	for _, x := range append(s.levels[:s.above():s.above()], s.sums[0]) {
		for i, p := range x {
			sum = sum.plus(p.times(rates[i*len(rates)/len(x)]))
		}
	}
	return sum
}

// fill sets the generator of the vector. P(W > t) falls with u·κ, κ = (x − x·R)·departures, at which rate the service of the job
// begins.
func (d *Delays) fill(r *matrix, x []twofold, local, departures *matrix, q *Queue) {
	k, order, above := local.rows, r.rows, r.left(x)
	n := order * k
	for a := range order {
		for i := range k {
			row, leaving := d.generator.row(a*k+i), total(departures.row(i))
			copy(row[a*k:], local.row(i))
			for b := range order {
				addMultiple(row[b*k:(b+1)*k], r.row(b)[a], departures.row(i))
			}
			row[a*k+i] = row[a*k+i].minus(total(local.row(i)).plus(leaving))
			for j, p := range q.Alpha {
				row[n+j] = x[a].minus(above[a]).times(leaving).times(double(p))
			}
		}
	}
	service := exact(q.T)
	for i, exit := range q.Exit {
		row := d.generator.row(n + i)
		copy(row[n:], service.row(i))
		row[n+i] = double(0).minus(total(service.row(i)).plus(double(exit)))
	}
}

// Waiting returns P(W > t).
func (d *Delays) Waiting(t float64) float64 { return dot(d.at(t), d.waits).float() }

// Response returns P(response time > t).
func (d *Delays) Response(t float64) float64 {
	u := d.at(t)
	sum := dot(u, d.waits)
	for i, v := range u {
		if d.waits[i].hi == 0 {
			sum = sum.plus(v)
		}
	}
	return sum.float()
}

// at returns the vector at time t.
func (d *Delays) at(t float64) []twofold {
	if d.moves == nil {
		d.moves = []*matrix{exponential(d.generator, d.step)}
	}
	for math.Ldexp(d.step, len(d.moves)) <= t {
		last := d.moves[len(d.moves)-1]
		d.moves = append(d.moves, last.times(last))
	}
	u := d.start
	for k := len(d.moves) - 1; k >= 0; k-- {
		if length := math.Ldexp(d.step, k); t >= length {
			u, t = d.moves[k].left(u), t-length
		}
	}
	return exponential(d.generator, t).left(u)
}

// exponential returns e^{Q·t} by its series, for a t at which no entry of Q·t is above 1/16.
func exponential(q *matrix, t float64) *matrix {
	sum, term := newMatrix(q.rows, q.rows), newMatrix(q.rows, q.rows)
	for i := range q.rows {
		sum.row(i)[i], term.row(i)[i] = double(1), double(1)
	}
	const terms = 40
	for k := 1.; k <= terms; k++ {
		term = term.times(q)
		for i, v := range term.v {
			term.v[i] = v.times(double(t)).over(double(k))
		}
		sum.plus(term)
	}
	return sum
}

func dot(x, y []twofold) (sum twofold) {
	for i, v := range x {
		sum = sum.plus(v.times(y[i]))
	}
	return sum
}

// occupanciesOf returns the numbers of jobs by phase that make up so many jobs.
func occupanciesOf(jobs, phases int) (list [][]int) {
	if phases == 1 {
		return [][]int{{jobs}}
	}
	for first := range jobs + 1 {
		for _, rest := range occupanciesOf(jobs-first, phases-1) {
			list = append(list, append([]int{first}, rest...))
		}
	}
	return list
}

// transitions returns the rates between occupancies, from those of each move: a job leaves phase from, and enters phase to. From
// −1 a job arrives, and to −1 it departs.
func transitions(before, after [][]int, each func(n []int, move func(from, to int, rate float64))) *mat.Dense {
	place := map[string]int{}
	for i, n := range after {
		place[fmt.Sprint(n)] = i
	}
	m := mat.NewDense(len(before), len(after), nil)
	for i, n := range before {
		each(n, func(from, to int, rate float64) {
			other := append([]int(nil), n...)
			if from >= 0 {
				other[from]--
			}
			if to >= 0 {
				other[to]++
			}
			j := place[fmt.Sprint(other)]
			m.Set(i, j, m.At(i, j)+rate)
		})
	}
	return m
}

// local returns the rates at which jobs change their phase. Each entry but those of the diagonal has one source.
func (q *Queue) local(at [][]int) *mat.Dense {
	return transitions(at, at, func(n []int, move func(from, to int, rate float64)) {
		for i, k := range n {
			for j := range n {
				if rate := q.T.At(i, j); j != i && k > 0 && rate > 0 {
					move(i, j, float64(k)*rate)
				}
			}
		}
	})
}

// departures returns the rates of departures. At equal numbers of jobs before and after, a job that waited begins its service.
func (q *Queue) departures(before, after [][]int) *mat.Dense {
	refilled := len(before) == len(after) && occupancy(before) == occupancy(after)
	return transitions(before, after, func(n []int, move func(from, to int, rate float64)) {
		for i, k := range n {
			switch rate := float64(k) * q.Exit[i]; {
			case rate == 0:
			case !refilled:
				move(i, -1, rate)
			default:
				for j, p := range q.Alpha {
					move(i, j, rate*p)
				}
			}
		}
	})
}

// occupancy returns the number of jobs of a list of occupancies.
func occupancy(list [][]int) (jobs int) {
	for _, k := range list[0] {
		jobs += k
	}
	return jobs
}

// qbd returns the chain of the queue. States are pairs of a phase of the arrivals and an occupancy.
func (q *Queue) qbd() *markov.QBD {
	order, _ := q.D0.Dims()
	one := mat.NewDiagDense(order, nil)
	for i := range order {
		one.SetDiag(i, 1)
	}
	kron := func(a, b mat.Matrix) *mat.Dense {
		var m mat.Dense
		m.Kronecker(a, b)
		return &m
	}
	level := func(l int) markov.Level {
		at := occupanciesOf(min(l, q.Servers), len(q.Alpha))
		up := transitions(at, occupanciesOf(min(l+1, q.Servers), len(q.Alpha)), func(n []int, move func(from, to int, rate float64)) {
			if l >= q.Servers {
				move(-1, -1, 1)
				return
			}
			for j, p := range q.Alpha {
				move(-1, j, p)
			}
		})
		local := kron(one, q.local(at))
		still := mat.NewDiagDense(len(at), nil)
		for i := range at {
			still.SetDiag(i, 1)
		}
		local.Add(local, kron(q.D0, still))
		lev := markov.Level{Up: kron(q.D1, up), Local: local}
		if l > 0 {
			lev.Down = kron(one, q.departures(at, occupanciesOf(min(l-1, q.Servers), len(q.Alpha))))
		}
		return lev
	}
	chain := &markov.QBD{Repeating: level(q.Servers + 1)}
	for l := range q.Servers + 1 {
		chain.Boundary = append(chain.Boundary, level(l))
	}
	return chain
}
