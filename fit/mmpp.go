package fit

import (
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// twoState is the Markov-modulated Poisson process of two states: state i is left at rate out[i] and has arrivals at
// rate rates[i].
type twoState struct{ out, rates [2]float64 }

// arrivals returns the process.
func (p twoState) arrivals(scale float64) (phasetype.MAP, error) {
	q := mat.NewDense(2, 2, []float64{-p.out[0] / scale, p.out[0] / scale, p.out[1] / scale, -p.out[1] / scale})
	return phasetype.MMPP(q, []float64{p.rates[0] / scale, p.rates[1] / scale})
}

// between is exp(D0·x) as e^scale·(v_ij), all nonnegative. With D0 = (−a, q; r, −b), h = (b−a)/2 and d = √(h²+q·r),
//
//	exp(D0·x) = e^(−((a+b)/2−d)·x)·(1+E)/2·I + (1−E)/(2d)·(h, q; r, −h)),  E = e^(−2d·x),
//
// in which 1 − |h|/d is taken as q·r/(d·(d+|h|)), so that nothing cancels.
func (p twoState) between(x float64) (v [4]float64, scale float64) {
	q, r := p.out[0], p.out[1]
	a, b := q+p.rates[0], r+p.rates[1]
	h := (b - a) / 2
	d := math.Sqrt(h*h + q*r)
	e := math.Exp(-2 * d * x)
	fall := -math.Expm1(-2*d*x) / (2 * d)
	small := q * r / (d * (d + math.Abs(h))) // 1 − |h|/d
	up, down := ((2-small)+small*e)/2, (small+(2-small)*e)/2
	if h < 0 {
		up, down = down, up
	}
	// (a+b)/2 − d = (a·b − q·r)/((a+b)/2 + d)
	slow := (q*p.rates[1] + r*p.rates[0] + p.rates[0]*p.rates[1]) / ((a+b)/2 + d)
	return [4]float64{up, q * fall, r * fall, down}, -slow * x
}

// logLikelihood returns that of the sequence, per time, from the state that an arrival finds.
func (p twoState) logLikelihood(seq *sequence, tables [][4]float64, scales []float64) float64 {
	p.tabulate(seq, tables, scales)
	// The state after an arrival: stationary of the jumps at arrivals, out[1]·rates[0] : out[0]·rates[1].
	u, w := p.out[1]*p.rates[0], p.out[0]*p.rates[1]
	u, w = u/(u+w), w/(u+w)
	var sum float64
	product := 1.0
	for _, v := range seq.at {
		m := &tables[v]
		u, w = u*m[0]+w*m[2], u*m[1]+w*m[3]
		s := u + w
		u /= s
		w /= s
		product *= s
		if product < 1e-100 || product > 1e100 {
			sum += math.Log(product)
			product = 1
		}
		sum += scales[v]
	}
	sum += math.Log(product)
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return math.Inf(-1)
	}
	return sum / float64(len(seq.at))
}

// tabulate sets, for each distinct value, the matrix exp(D0·x)·D1, or its integral over the interval of a rounded one.
func (p twoState) tabulate(seq *sequence, tables [][4]float64, scales []float64) {
	for i := range seq.values {
		x := &seq.values[i]
		if seq.resolution == 0 {
			m, scale := p.between(x.x)
			tables[i] = [4]float64{m[0] * p.rates[0], m[1] * p.rates[1], m[2] * p.rates[0], m[3] * p.rates[1]}
			scales[i] = scale
			continue
		}
		m, scale := p.between(x.lo)
		w := x.width
		if x.lo == 0 {
			w = x.hi
		}
		g := p.within(w)
		tables[i] = [4]float64{
			m[0]*g[0] + m[1]*g[2], m[0]*g[1] + m[1]*g[3],
			m[2]*g[0] + m[3]*g[2], m[2]*g[1] + m[3]*g[3],
		}
		scales[i] = scale
	}
}

// within returns ∫_0^w exp(D0·u) du·D1 = (−D0)^−1·(I − exp(D0·w))·D1: the probabilities that the next arrival is
// within w.
func (p twoState) within(w float64) [4]float64 {
	q, r := p.out[0], p.out[1]
	a, b := q+p.rates[0], r+p.rates[1]
	if s := w * (a + b); s < 1e-6 { // w·I + w²/2·D0, of which the next term is below rounding
		h := w * w / 2
		return [4]float64{(w - h*a) * p.rates[0], h * q * p.rates[1], h * r * p.rates[0], (w - h*b) * p.rates[1]}
	}
	m, scale := p.between(w)
	e := math.Exp(scale)
	k := [4]float64{1 - e*m[0], -e * m[1], -e * m[2], 1 - e*m[3]}
	det := q*p.rates[1] + r*p.rates[0] + p.rates[0]*p.rates[1]
	g := [4]float64{(b*k[0] + q*k[2]) / det, (b*k[1] + q*k[3]) / det, (r*k[0] + a*k[2]) / det, (r*k[1] + a*k[3]) / det}
	return [4]float64{
		max(0, g[0]) * p.rates[0], max(0, g[1]) * p.rates[1], max(0, g[2]) * p.rates[0], max(0, g[3]) * p.rates[1],
	}
}

// twoStateParameters is the number of free parameters.
const twoStateParameters = 4

// twoStateAscent is the log-likelihood of a sequence by the logarithms of the four rates, with central differences for
// derivatives: their error, about 1e-10, is below what decides whether the ascent has arrived.
type twoStateAscent struct {
	seq    *sequence
	tables [][4]float64
	scales []float64
	at     []float64
	grad   [twoStateParameters]float64
}

func (a *twoStateAscent) value(y []float64) float64 {
	a.at = append(a.at[:0], y...)
	for _, v := range y {
		if math.Abs(v) > 300 {
			return math.Inf(1)
		}
	}
	return -twoStateOf(y).logLikelihood(a.seq, a.tables, a.scales)
}

func (a *twoStateAscent) gradient() []float64 {
	const h = 1e-5
	y := append([]float64(nil), a.at...)
	for i, at := range y {
		y[i] = at + h
		up := a.value(y)
		y[i] = at - h
		a.grad[i] = (up - a.value(y)) / (2 * h)
		y[i] = at
	}
	return a.grad[:]
}

func twoStateOf(y []float64) twoState {
	return twoState{[2]float64{math.Exp(y[0]), math.Exp(y[1])}, [2]float64{math.Exp(y[2]), math.Exp(y[3])}}
}

func (p twoState) climb(seq *sequence, evals int, tolerance float64) (best twoState, out *descent) {
	a := &twoStateAscent{seq: seq, tables: make([][4]float64, len(seq.values)), scales: make([]float64, len(seq.values))}
	y := []float64{math.Log(p.out[0]), math.Log(p.out[1]), math.Log(p.rates[0]), math.Log(p.rates[1])}
	out = newDescent(y)
	out.run(a, evals, tolerance, 5)
	return twoStateOf(out.y), out
}
