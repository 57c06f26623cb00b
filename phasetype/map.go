package phasetype

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// MAP is a Markovian arrival process (D0, D1): the phase moves by D0 without an arrival and by D1 with one, D0 + D1
// being the generator of an irreducible chain. It is immutable and always valid; its zero value has no phases and no
// arrivals.
//
// Reference: D. M. Lucantoni, New results on the single server queue with a batch Markovian arrival process,
// Commun. Statist. Stochastic Models 7 (1991) 1–46.
type MAP struct {
	n      int
	d0, d1 []float64 // row-major n×n; the diagonal of d0 makes each row of d0 + d1 sum to zero exactly
	pi     []float64 // stationary phase vector of D0 + D1
	rate   float64   // pi·D1·1

	between Dist // the stationary interarrival time
}

// NewMAP returns the process (D0, D1) of two square matrices of one order. D1 and the off-diagonal of D0 are
// nonnegative, D1 is not zero, and D0 + D1 is irreducible. Rates that are not zero are within 1e-100 to 1e+100. Rows of
// D0 + D1 sum to zero up to 1e-9 of the diagonal, which is then set so that they do. NewMAP returns an *[Error]
// otherwise.
func NewMAP(d0, d1 mat.Matrix) (MAP, error) { return newMAP(d0, d1, inRange) }

// newMAP is [NewMAP] with another condition for the rates, apart from the diagonal of D0. Products of rates and probabilities
// may be smaller than the rates of a user.
func newMAP(d0, d1 mat.Matrix, allowed func(rate float64) bool) (MAP, error) {
	n, cols, err := dims("D0", d0)
	if err != nil {
		return MAP{}, err
	}
	r1, c1, err := dims("D1", d1)
	switch {
	case err != nil:
		return MAP{}, err
	case n == 0 || n != cols:
		return MAP{}, bad("D0", -1, -1, "is %d×%d, not square", n, cols)
	case n > MaxPhases:
		return MAP{}, bad("D0", -1, -1, "%d phases, at most %d are supported", n, MaxPhases)
	case r1 != n || c1 != n:
		return MAP{}, bad("D1", -1, -1, "is %d×%d, D0 is %d×%d", r1, c1, n, n)
	}
	m := MAP{n: n, d0: make([]float64, n*n), d1: make([]float64, n*n)}
	for i := range n {
		if err := m.setRow(i, d0, d1, allowed); err != nil {
			return MAP{}, err
		}
	}
	if err := m.finish(); err != nil {
		return MAP{}, err
	}
	return m, nil
}

// finish checks that the phases reach one another and that there are arrivals, and computes the stationary vector, the
// rate and the interarrival time.
func (m *MAP) finish() error {
	n := m.n
	move := func(i, j int) bool { return m.d0[i*n+j]+m.d1[i*n+j] > 0 }
	first := func(i int) bool { return i == 0 }
	forth, _ := spread(n, first, move)
	back, _ := spread(n, first, func(i, j int) bool { return move(j, i) })
	for i := range n {
		if !forth[i] || !back[i] {
			return bad("D0", i, -1,
				"phase %d and phase 0 do not reach one another in D0 + D1; remove transient phases", i)
		}
	}
	arrivals := m.arrivalRates()
	if !slices.ContainsFunc(arrivals, func(r float64) bool { return r > 0 }) {
		return bad("D1", -1, -1, "is zero: no arrivals")
	}
	m.pi = stationary(m.generator())
	m.rate = dot(m.pi, arrivals)
	if !(m.rate >= minRate && m.rate <= maxRate) {
		return bad("D1", -1, -1, "arrival rate %g is outside %g to %g; use another unit of time", m.rate, minRate, maxRate)
	}
	var err error
	m.between, err = fromRates(m.AfterArrival(), slices.Clone(m.d0), arrivals)
	if e := new(Error); errors.As(err, &e) {
		e.Field = "D0"
	}
	return err
}

// setRow sets row i of D0 and D1. The diagonal of D0 becomes minus the sum of all other rates of the row. It returns an
// *[Error] for a rate that is wrong or not allowed, or a row that does not sum to zero.
func (m *MAP) setRow(i int, d0, d1 mat.Matrix, allowed func(rate float64) bool) error {
	var out float64
	for j := range m.n {
		v0, v1 := d0.At(i, j), d1.At(i, j)
		switch {
		case math.IsNaN(v0) || math.IsInf(v0, 0):
			return bad("D0", i, j, "%v is not a rate", v0)
		case !nonnegative(v1):
			return bad("D1", i, j, "%v is not a nonnegative rate", v1)
		case i != j && v0 < 0:
			return bad("D0", i, j, "negative rate %g", v0)
		case i != j && !allowed(v0):
			return bad("D0", i, j, outOfRange, v0, minRate, maxRate)
		case !allowed(v1):
			return bad("D1", i, j, outOfRange, v1, minRate, maxRate)
		}
		if i != j {
			m.d0[i*m.n+j] = v0 + 0 // no negative zero
			out += v0
		}
		m.d1[i*m.n+j] = v1 + 0
		out += v1
	}
	if diag := -d0.At(i, i); math.Abs(diag-out) > sumTol*max(diag, out) {
		return bad("D0", i, i, "the diagonal is %g, the other rates of row %d of D0 and D1 add up to %g", -diag, i, out)
	}
	if !inRange(out) {
		return bad("D0", i, i, outOfRange, out, minRate, maxRate)
	}
	m.d0[i*m.n+i] = -out
	return nil
}

// outOfRange is the problem of a rate, given the rate, minRate and maxRate.
const outOfRange = "rate %g is outside %g to %g; use another unit of time"

// inRange reports whether a rate is zero or within the range of rates. Values that are no rates are left to other checks.
func inRange(rate float64) bool { return !(rate > 0) || rate >= minRate && rate <= maxRate }

// anyRate allows all rates.
func anyRate(float64) bool { return true }

// generator returns D0 + D1, row-major.
func (m *MAP) generator() []float64 {
	q := slices.Clone(m.d0)
	floats.Add(q, m.d1)
	return q
}

// rareRate is a rate (2e-181) at which a phase, left by it alone, has all the probability. The probabilities of the
// other phases are then computed in units of it, in which they stay in range.
const rareRate = 0x1p-600

// stationary returns the stationary vector of the irreducible generator q (row-major, destroyed) by the elimination of
// Grassmann, Taksar and Heyman, Oper. Res. 33 (1985) 1107–1116, which only adds, multiplies and divides nonnegative
// numbers: every component is accurate to a few ulps times the order.
func stationary(q []float64) []float64 {
	n := 0
	for n*n < len(q) {
		n++
	}
	rare := censorLastFirst(q, n)
	pi := make([]float64, n)
	pi[0] = 1
	total := 1.0
	for k := 1; k < n; k++ {
		for i := range k {
			pi[k] += pi[i] * q[i*n+k]
			if rare[k] {
				pi[i] *= rareRate
			}
		}
		if rare[k] {
			total *= rareRate
		}
		total += pi[k]
	}
	for k := range pi {
		pi[k] /= total
	}
	return pi
}

// censorLastFirst eliminates the phases of a generator q of order n, the last first: each step leaves the chain watched
// in the earlier phases only. Entry (i, k), i < k, becomes the mean time in phase k for each unit of time in phase i.
// Phases that are left at a rate below rareRate are reported as rare; their times are in units of 1/rareRate.
func censorLastFirst(q []float64, n int) (rare []bool) {
	rare = make([]bool, n)
	for k := n - 1; k > 0; k-- {
		var out float64
		for j := range k {
			out += q[k*n+j]
		}
		if rare[k] = out < rareRate; rare[k] {
			out /= rareRate
			for j := range k {
				q[k*n+j] /= rareRate
			}
		}
		for i := range k {
			q[i*n+k] /= out
			for j := range k {
				if j != i {
					q[i*n+j] += q[i*n+k] * q[k*n+j]
				}
			}
		}
	}
	return rare
}

// Renewal returns the renewal process with interarrival time d: D0 = T, D1 = exit·alpha, restricted to the phases that
// can be visited. It returns an *[Error] if d has an atom at zero, which would mean batches, as the zero value has.
func Renewal(d Dist) (MAP, error) {
	if d.Atom() > 0 {
		return MAP{}, bad("alpha", -1, -1, "sums to %.12g: interarrival times must not be zero", 1-d.Atom())
	}
	fastest := slices.Max(d.exit)
	reached, _ := spread(d.n, func(i int) bool { return fastest*d.alpha[i] > 0 }, // an entry of D1, which may underflow
		func(i, j int) bool { return d.t[i*d.n+j] > 0 })
	var keep []int
	for i, ok := range reached {
		if ok {
			keep = append(keep, i)
		}
	}
	n := len(keep)
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, ki := range keep {
		for j, kj := range keep {
			d0.Set(i, j, d.t[ki*d.n+kj])
			d1.Set(i, j, d.exit[ki]*d.alpha[kj])
		}
	}
	return newMAP(d0, d1, anyRate)
}

// MMPP returns the Markov-modulated Poisson process whose arrival rate is rates[i] while the chain with generator q
// (n×n) is in state i. It returns an *[Error] as NewMAP does, with the fields "Q", "rates", "D0" and "D1".
// Rates that are not zero are within 1e-100 to 1e+100.
func MMPP(q mat.Matrix, rates []float64) (MAP, error) {
	n, cols, err := dims("Q", q)
	switch {
	case err != nil:
		return MAP{}, err
	case n == 0 || n != cols || n != len(rates):
		return MAP{}, bad("Q", -1, -1, "is %d×%d, there are %d rates", n, cols, len(rates))
	case n > MaxPhases:
		return MAP{}, bad("Q", -1, -1, "%d states, at most %d are supported", n, MaxPhases)
	}
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	d0.Copy(q)
	for i, r := range rates {
		if !nonnegative(r) {
			return MAP{}, bad("rates", i, -1, "%v is not a nonnegative rate", r)
		}
		if !inRange(r) {
			return MAP{}, bad("rates", i, -1, outOfRange, r, minRate, maxRate)
		}
		for j := range n {
			if v := q.At(i, j); j != i && !inRange(v) {
				return MAP{}, bad("Q", i, j, outOfRange, v, minRate, maxRate)
			}
		}
		d1.Set(i, i, r)
		d0.Set(i, i, d0.At(i, i)-r)
	}
	return NewMAP(d0, d1)
}

// Speedup returns the same process with time running c times as fast: (c·D0, c·D1), arrival rate c·λ. It returns an
// *[Error] if c is not positive and finite, or too large or small for the rates. The zero value stays what it is.
func (m MAP) Speedup(c float64) (MAP, error) {
	if err := positive("c", -1, c); err != nil || m.n == 0 {
		return MAP{}, err
	}
	d0, d1 := m.D0(), m.D1()
	d0.Scale(c, d0)
	d1.Scale(c, d1)
	return newMAP(d0, d1, anyRate)
}

// SpeedupRange returns the least and the largest c of [MAP.Speedup]. Between them, the arrival rate and the rates out of the
// phases stay within 1e-100 to 1e+100, the range of rates of this package. The mean time from each phase to an arrival stays
// below 1e+100. Both are NaN for the zero value.
func (m MAP) SpeedupRange() (least, most float64) {
	if m.n == 0 {
		return math.NaN(), math.NaN()
	}
	slowest, fastest := m.rate, m.rate
	for i := range m.n {
		if out := -m.d0[i*m.n+i]; out > 0 {
			slowest, fastest = min(slowest, out), max(fastest, out)
		}
	}
	waits := ones(m.between.n)
	m.between.eliminate().solve(waits)
	return max(minRate/slowest, slices.Max(waits)/longestMean), maxRate / fastest
}

// MarshalJSON returns {"D0": [[…], …], "D1": [[…], …]}. Package modelfile writes files of processes and reads them.
func (m MAP) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"D0": rows(m.d0, m.n), "D1": rows(m.d1, m.n)})
}

// Phases returns the order n, 0 for the zero value.
func (m MAP) Phases() int { return m.n }

// D0 returns a copy of the matrix of transitions without an arrival, n×n; nil for the zero value.
func (m MAP) D0() *mat.Dense { return m.dense(m.d0) }

// D1 returns a copy of the matrix of transitions with an arrival, n×n; nil for the zero value.
func (m MAP) D1() *mat.Dense { return m.dense(m.d1) }

// dense returns a matrix with a copy of row-major entries; nil without phases.
func (m MAP) dense(v []float64) *mat.Dense {
	if m.n == 0 {
		return nil
	}
	return mat.NewDense(m.n, m.n, slices.Clone(v))
}

// Stationary returns a copy of the stationary phase vector of D0 + D1.
func (m MAP) Stationary() []float64 { return slices.Clone(m.pi) }

// Rate0 returns entry (i, j) of D0 without copying it.
func (m MAP) Rate0(i, j int) float64 { return m.d0[i*m.n+j] }

// Rate1 returns entry (i, j) of D1 without copying it.
func (m MAP) Rate1(i, j int) float64 { return m.d1[i*m.n+j] }

// Rate returns the arrival rate λ = π·D1·1.
func (m MAP) Rate() float64 { return m.rate }
