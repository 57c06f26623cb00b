package phasetype

import "math"

// IsRenewal reports whether the times between arrivals are independent of each other: every arrival then leaves the same
// distribution of phases behind, whatever phase it came from. 1e-12 leaves room for the rounding of D1.
func (m MAP) IsRenewal() bool {
	after := m.AfterArrival()
	d1 := m.D1()
	for i := range after {
		rate := 0.0
		for j := range after {
			rate += d1.At(i, j)
		}
		for j, p := range after {
			if math.Abs(d1.At(i, j)-rate*p) > 1e-12*rate {
				return false
			}
		}
	}
	return true
}
