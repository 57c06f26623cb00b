package phasetype

import (
	"fmt"
	"strings"
)

// fewToPrint is the order up to which String shows matrices.
const fewToPrint = 4

// String describes d by its order and moments, and by alpha and T if it has at most four phases:
//
//	PH of 2 phases, mean 0.9, SCV 1.099, alpha [0.4 0.6], T [-1 1; 0 -2]
//
// Numbers are rounded to four digits; MarshalJSON keeps all of them.
func (d Dist) String() string {
	if d.n == 0 {
		return "PH of 0 phases, constant 0"
	}
	s := fmt.Sprintf("PH of %s, mean %.4g, SCV %.4g", phases(d.n), d.Mean(), d.SCV())
	if d.atom > 0 {
		s += fmt.Sprintf(", P(X = 0) %.4g", d.atom)
	}
	if d.n <= fewToPrint {
		s += fmt.Sprintf(", alpha [%s], T [%s]", row(d.alpha), rows(d.t, d.n))
	}
	return s
}

// String describes m by its order, rate and moments, and by D0 and D1 if it has at most four phases:
//
//	MAP of 2 phases, rate 4, SCV 1.909, lag-1 correlation 0.1804, D0 [-5.1 0.1; 0.3 -1.3], D1 [5 0; 0 1]
//
// Numbers are rounded to four digits; MarshalJSON keeps all of them.
func (m MAP) String() string {
	if m.n == 0 {
		return "MAP of 0 phases, no arrivals"
	}
	s := fmt.Sprintf("MAP of %s, rate %.4g, SCV %.4g, lag-1 correlation %.4g", phases(m.n), m.Rate(), m.SCV(),
		m.LagCorrelation(1))
	if m.n <= fewToPrint {
		s += fmt.Sprintf(", D0 [%s], D1 [%s]", rows(m.d0, m.n), rows(m.d1, m.n))
	}
	return s
}

func phases(n int) string {
	if n == 1 {
		return "1 phase"
	}
	return fmt.Sprintf("%d phases", n)
}

// rows writes a row-major n×n matrix, row by row.
func rows(v []float64, n int) string {
	var all []string
	for i := range n {
		all = append(all, row(v[i*n:(i+1)*n]))
	}
	return strings.Join(all, "; ")
}

func row(v []float64) string {
	var all []string
	for _, x := range v {
		all = append(all, fmt.Sprintf("%.4g", x))
	}
	return strings.Join(all, " ")
}
