package phasetype

import "math"

// Exponential returns the exponential distribution of the given rate: one phase, mean 1/rate. It returns an *[Error] if
// the rate is not positive and finite.
func Exponential(rate float64) (Dist, error) {
	if err := positive("rate", -1, rate); err != nil {
		return Dist{}, err
	}
	return fromRates([]float64{1}, []float64{0}, []float64{rate})
}

// positive checks that v is a positive finite number.
func positive(field string, i int, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return bad(field, i, -1, "%v is not a positive number", v)
	}
	return nil
}

// nonnegative reports whether v is a finite number that is not negative.
func nonnegative(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// inverse checks a mean and returns its rate.
func inverse(field string, i int, mean float64) (rate float64, err error) {
	if err := positive(field, i, mean); err != nil {
		return 0, err
	}
	rate = 1 / mean
	if rate < minRate || rate > maxRate {
		return 0, bad(field, i, -1, "%g is outside %g to %g; use another unit of time", mean, 1/maxRate, 1/minRate)
	}
	return rate, nil
}
