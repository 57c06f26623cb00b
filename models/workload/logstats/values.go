package logstats

import "gonum.org/v1/gonum/stat"

// number is a type in which values are kept.
type number interface{ uint32 | float64 }

// values are numbers, one for each job. Each takes 4 bytes if all are whole numbers from 0 to 2³² − 1, such as the times and the
// work of jobs in most logs. Otherwise each takes 8 bytes. The zero value has no numbers.
type values struct {
	whole []uint32
	any   []float64 // in place of whole; nil: all numbers are whole
}

// newValues returns n zeros.
func newValues(n int) values { return values{whole: make([]uint32, n)} }

// valuesOf returns the given numbers.
func valuesOf(x []float64) values {
	v := newValues(len(x))
	for i := range x {
		v.set(i, x[i])
	}
	return v
}

// len returns how many numbers there are.
func (v *values) len() int { return max(len(v.whole), len(v.any)) }

// at returns the i-th number, counted from 0.
func (v *values) at(i int) float64 {
	if v.any != nil {
		return v.any[i]
	}
	return float64(v.whole[i])
}

// set replaces the i-th number, counted from 0.
func (v *values) set(i int, x float64) {
	if v.any == nil {
		if w := uint32(x); float64(w) == x {
			v.whole[i] = w
			return
		}
		v.widen()
	}
	v.any[i] = x
}

// add appends a number.
func (v *values) add(x float64) {
	if v.any == nil {
		if w := uint32(x); float64(w) == x {
			v.whole = append(v.whole, w)
			return
		}
		v.widen()
	}
	v.any = append(v.any, x)
}

// widen keeps the numbers in 8 bytes each from now on.
func (v *values) widen() {
	v.any = make([]float64, len(v.whole), cap(v.whole))
	for i, w := range v.whole {
		v.any[i] = float64(w)
	}
	v.whole = nil
}

// between returns the numbers from one place on and before another. They share memory with v.
func (v *values) between(from, to int) values {
	if v.any != nil {
		return values{any: v.any[from:to]}
	}
	return values{whole: v.whole[from:to]}
}

// meanVariance returns the mean and the unbiased variance of the numbers.
func (v *values) meanVariance() (mean, variance float64) {
	if v.any != nil {
		return stat.MeanVariance(v.any, nil)
	}
	sum := uint64(0)
	for _, x := range v.whole {
		sum += uint64(x)
	}
	n := float64(len(v.whole))
	mean = float64(sum) / n
	squares, rest := 0.0, 0.0 // the rest is what rounding of the mean leaves of the sum of differences
	for _, x := range v.whole {
		d := float64(x) - mean
		squares += d * d
		rest += d
	}
	return mean, (squares - rest*rest/n) / (n - 1)
}
