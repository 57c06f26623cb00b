package fit

import (
	"math"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// twoState is the Markov-modulated Poisson process with two states: state i is left at rate out[i] and has arrivals at
// rate rates[i].
type twoState struct{ out, rates [2]float64 }

// arrivals returns the process with times multiplied by scale.
func (p twoState) arrivals(scale float64) (phasetype.MAP, error) {
	q := mat.NewDense(2, 2, []float64{-p.out[0] / scale, p.out[0] / scale, p.out[1] / scale, -p.out[1] / scale})
	return phasetype.MMPP(q, []float64{p.rates[0] / scale, p.rates[1] / scale})
}

// twoStateParameters is the number of free parameters.
const twoStateParameters = 4

// logs returns the logarithms of the parameters: out, then rates.
func (p twoState) logs() []float64 {
	return logsOf([]float64{p.out[0], p.out[1], p.rates[0], p.rates[1]})
}

func twoStateOf(logs []float64) twoState {
	return twoState{[2]float64{math.Exp(logs[0]), math.Exp(logs[1])}, [2]float64{math.Exp(logs[2]), math.Exp(logs[3])}}
}

// afterArrival returns the stationary probabilities of the state just after an arrival.
func (p twoState) afterArrival() [2]float64 {
	u, w := p.out[1]*p.rates[0], p.out[0]*p.rates[1]
	return [2]float64{u / (u + w), w / (u + w)}
}

// expD0 returns exp(D0·x) as e^scale·v with v nonnegative. With h = (b−a)/2 and d = √(h²+q·r), D0 = (−a, q; r, −b) has the
// eigenvalues −(a+b)/2 ± d, and
//
//	exp(D0·x) = e^(−((a+b)/2−d)·x)·((1+E)/2·I + (1−E)/(2d)·(h, q; r, −h)),  E = e^(−2d·x).
//
// Here 1 − |h|/d is computed as q·r/(d·(d+|h|)), without cancellation.
func (p twoState) expD0(x float64) (v [4]float64, scale float64) {
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

// integral returns ∫_0^w exp(D0·u) du·D1 = (−D0)^−1·(I − exp(D0·w))·D1, the probabilities that the next arrival comes
// within w, by the states before and after it.
func (p twoState) integral(w float64) [4]float64 {
	q, r := p.out[0], p.out[1]
	a, b := q+p.rates[0], r+p.rates[1]
	if s := w * (a + b); s < 1e-6 { // w·I + w²/2·D0; the next term is below rounding
		h := w * w / 2
		return [4]float64{(w - h*a) * p.rates[0], h * q * p.rates[1], h * r * p.rates[0], (w - h*b) * p.rates[1]}
	}
	m, scale := p.expD0(w)
	e := math.Exp(scale)
	k := [4]float64{1 - e*m[0], -e * m[1], -e * m[2], 1 - e*m[3]}
	det := q*p.rates[1] + r*p.rates[0] + p.rates[0]*p.rates[1]
	g := [4]float64{(b*k[0] + q*k[2]) / det, (b*k[1] + q*k[3]) / det, (r*k[0] + a*k[2]) / det, (r*k[1] + a*k[3]) / det}
	return [4]float64{
		max(0, g[0]) * p.rates[0], max(0, g[1]) * p.rates[1], max(0, g[2]) * p.rates[0], max(0, g[3]) * p.rates[1],
	}
}
