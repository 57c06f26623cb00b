package phasetype

import "math"

// extended is a vector of nonnegative numbers mant·2^exp that neither underflow nor overflow. mant is zero or from ½ to
// below 1.
type extended struct {
	mant []float64
	exp  []int32
}

// zeroExp is the exponent of zero, below all others. A sum of three exponents still fits.
const zeroExp = -1 << 29

// newExtended returns a vector of float64.
func newExtended(v []float64) extended {
	x := extended{make([]float64, len(v)), make([]int32, len(v))}
	for i, a := range v {
		x.set(i, a, 0)
	}
	return x
}

// set sets entry i to a·2^e.
func (x extended) set(i int, a float64, e int) {
	fraction, exponent := math.Frexp(a)
	if fraction == 0 || e+exponent < zeroExp {
		x.mant[i], x.exp[i] = 0, zeroExp
		return
	}
	x.mant[i], x.exp[i] = fraction, int32(e+exponent)
}

// setExp sets entry i to exp(log).
func (x extended) setExp(i int, log float64) {
	if !(log > zeroExp/2) {
		x.set(i, 0, 0)
		return
	}
	e := math.Round(log / math.Ln2)
	x.set(i, math.Exp(log-e*math.Ln2), int(e))
}

// setProduct sets entry i to v_i·exp(log).
func (x extended) setProduct(i int, v extended, log float64) {
	x.setExp(i, log)
	x.set(i, x.mant[i]*v.mant[i], int(x.exp[i])+int(v.exp[i]))
}

// log returns the logarithm of entry i, −Inf for zero.
func (x extended) log(i int) float64 { return math.Log(x.mant[i]) + float64(x.exp[i])*math.Ln2 }

// at returns entry i, 0 if it is too small for a float64.
func (x extended) at(i int) float64 { return math.Ldexp(x.mant[i], int(x.exp[i])) }

// dot returns the scalar product with a vector of float64.
func (x extended) dot(v []float64) float64 {
	sum := 0.0
	for i, a := range v {
		sum += x.at(i) * a
	}
	return sum
}

// divide divides all entries by a positive number.
func (x extended) divide(by float64) {
	for i, a := range x.mant {
		x.set(i, a/by, int(x.exp[i]))
	}
}

// digitsBelow is how many binary digits below the largest term of a sum a term may begin that still counts.
const digitsBelow = 64

// powersOfTwo holds 2^(i−digitsBelow).
var powersOfTwo = func() (p [digitsBelow + 1]float64) {
	for i := range p {
		p[i] = math.Ldexp(1, i-digitsBelow)
	}
	return p
}()

// times returns x·M for the matrix with the given rows. A first pass finds the exponent of the largest term of each entry,
// relative to which the second pass adds the terms.
func (x extended) times(rows []extended) extended {
	n := len(rows[0].mant)
	sum := extended{make([]float64, n), make([]int32, n)}
	for j := range sum.exp {
		sum.exp[j] = zeroExp
	}
	for i, row := range rows {
		if x.mant[i] == 0 {
			continue
		}
		for j, e := range row.exp {
			sum.exp[j] = max(sum.exp[j], e+x.exp[i])
		}
	}
	for i, row := range rows {
		if x.mant[i] == 0 {
			continue
		}
		for j, e := range row.exp {
			if at := e + x.exp[i] - sum.exp[j] + digitsBelow; at >= 0 {
				sum.mant[j] += x.mant[i] * row.mant[j] * powersOfTwo[at]
			}
		}
	}
	for j, a := range sum.mant {
		sum.set(j, a, int(sum.exp[j]))
	}
	return sum
}
