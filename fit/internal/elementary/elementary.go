// Package elementary has the logarithm and the exponential function by tables. An E-step of mixtures takes a logarithm
// for each value and an exponential for each branch; the functions of package math took half of its time. A table entry
// next to the argument leaves a remainder so small that a few terms of a power series are exact to the last digits. It
// pays where the functions are called for each observation in each step.
package elementary

import "math"

const (
	// logTableBits is the binary logarithm of the number of intervals that the table of logarithms has.
	logTableBits = 7
	// lowestFraction is the representation of .705…, a number such that 1 lies in the middle of an interval.
	lowestFraction = 0x3fe6900000000000
	// mantissaBits is the number of bits of a floating-point number after the leading 1.
	mantissaBits = 52
)

// logEntry is an entry of the table of [Log]: the middle c of an interval, 1/c and log c.
type logEntry struct{ middle, inverse, log float64 }

// logTable is the table of [Log], by the leading bits of a number between .705… and twice that.
var logTable = func() (table [1 << logTableBits]logEntry) {
	const half = 1 << (mantissaBits - 1 - logTableBits)
	for i := range table {
		c := math.Float64frombits(lowestFraction + uint64(i)<<(mantissaBits-logTableBits) + half)
		table[i] = logEntry{c, 1 / c, math.Log(c)}
	}
	return table
}()

// smallestNormal is the smallest positive number of full precision, 2⁻¹⁰²².
const smallestNormal = 0x1p-1022

// Log returns log x for a number x ≥ 2⁻¹⁰²², with an absolute error below 1e-15·max(1, |log x|), in a third of the time
// of math.Log. With x = 2ᵏ·z, z = c·(1 + r) and |r| ≤ 2⁻⁷,
//
//	log x = k·log 2 + log c + log(1 + r),
//
// where the last term is seven terms of its power series. For any other x, NaN and +Inf among them, it is math.Log(x).
func Log(x float64) float64 {
	if !(x >= smallestNormal && x <= math.MaxFloat64) {
		return math.Log(x)
	}
	bits := math.Float64bits(x) - lowestFraction
	k := float64(int64(bits) >> mantissaBits)
	t := &logTable[bits>>(mantissaBits-logTableBits)%(1<<logTableBits)]
	z := math.Float64frombits(bits&(1<<mantissaBits-1) + lowestFraction)
	r := (z - t.middle) * t.inverse // the difference is exact
	r2 := r * r
	series := r - r2*(1./2-r*(1./3)+r2*(1./4-r*(1./5)+r2*(1./6-r*(1./7))))
	return k*math.Ln2 + t.log + series
}

const (
	// expTableBits is the binary logarithm of the number of powers of 2 that the table of [Exp] has.
	expTableBits = 6
	expSteps     = 1 << expTableBits
	// stepHigh and stepLow add up to log 2/64. stepHigh has so few digits that its multiples are exact.
	stepHigh = 0x1.62e42fefp-7
	stepLow  = math.Ln2/expSteps - stepHigh
	// toNearest is a number to which adding a small number rounds it to an integer; its last bits are the integer.
	toNearest = 3 << (mantissaBits - 1)
	// largestExponent is the exponent from which the result may overflow, or have fewer digits if negative.
	largestExponent = 700
	// underflow is an exponent below which the result is zero.
	underflow = -746
)

// powersOfTwo holds 2^(i/64) for i from 0.
var powersOfTwo = func() (table [expSteps]float64) {
	for i := range table {
		table[i] = math.Exp2(float64(i) / expSteps)
	}
	return table
}()

// Exp returns exp x with a relative error below 1e-15, in two thirds of the time of math.Exp. With
// x = n·log 2/64 + r and |r| ≤ log 2/128, it is 2^(n/64)·exp r. The last factor is five terms of its power series.
// Outside of [−700, 700], and for NaN, it is math.Exp(x).
func Exp(x float64) float64 {
	if !(math.Abs(x) <= largestExponent) {
		if x < underflow {
			return 0 // the usual ratio of branches that lie far apart
		}
		return math.Exp(x)
	}
	shifted := x*(expSteps/math.Ln2) + toNearest
	n := shifted - toNearest
	r := x - n*stepHigh - n*stepLow
	r2 := r * r
	series := r + r2*(1./2+r*(1./6)+r2*(1./24+r*(1./120)))
	power := powersOfTwo[math.Float64bits(shifted)%expSteps]
	octaves := uint64(int64(n)>>expTableBits) << mantissaBits
	return math.Float64frombits(math.Float64bits(power+power*series) + octaves)
}
