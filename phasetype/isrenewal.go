package phasetype

import "math"

// IsRenewal reports whether the times between arrivals are independent of each other: every arrival then leaves the same
// distribution of phases behind, whatever phase it came from. 1e-12 leaves room for the rounding of D1.
func (m MAP) IsRenewal() bool {
	after := m.AfterArrival()
	for i, rate := range m.arrivalRates() {
		for j, p := range after {
			if math.Abs(m.Rate1(i, j)-rate*p) > 1e-12*rate {
				return false
			}
		}
	}
	return true
}
