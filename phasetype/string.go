package phasetype

import "fmt"

// String describes d by its order and moments, such as
//
//	PH of order 2, mean 0.9, SCV 1.099
//
// with numbers rounded to four digits.
func (d Dist) String() string {
	s := fmt.Sprintf("PH of order %d, mean %.4g, SCV %.4g", d.n, d.Mean(), d.SCV())
	if atom := d.Atom(); atom > 0 {
		s += fmt.Sprintf(", P(X = 0) %.4g", atom)
	}
	return s
}

// String describes m by its order, rate and moments, such as
//
//	MAP of order 2, rate 4, SCV 1.909, lag-1 correlation 0.1804
//
// with numbers rounded to four digits.
func (m MAP) String() string {
	return fmt.Sprintf("MAP of order %d, rate %.4g, SCV %.4g, lag-1 correlation %.4g", m.n, m.Rate(), m.SCV(),
		m.LagCorrelation(1))
}
