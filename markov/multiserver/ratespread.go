package multiserver

import "math"

// rateSpread holds the least and the largest positive rate that it has been given. Their quotient tells how stiff a
// queue is.
type rateSpread struct{ least, most float64 }

// include extends the spread to the given rates, in place; zeros and negative numbers are ignored.
func (p *rateSpread) include(rates ...float64) {
	for _, v := range rates {
		if v > 0 {
			p.most = max(p.most, v)
			if p.least == 0 || v < p.least {
				p.least = v
			}
		}
	}
}

// decadesOfRates returns log10 of the largest rate of the queue over the least positive rate, over arrivals, service
// and switch-overs. Speeds of occupancies do not count. The arrivals, service and switch-overs of s must be set. Where
// the result is large, methods that subtract are checked against one that does not.
func (s *system) decadesOfRates() float64 {
	var p rateSpread
	p.include(s.ar.D0.Data...)
	for q := range s.ar.Classes {
		for a := range s.ar.N {
			for _, v := range s.ar.A.Row(q) {
				p.include(s.ar.F.At(a, q) * v)
			}
		}
	}
	for l := range s.c {
		if l > 0 && &s.exit[l][0] == &s.exit[l-1][0] { // one distribution serves for all levels
			break
		}
		p.include(s.t[l].Data...)
		p.include(s.exit[l]...)
	}
	for l := 1; l <= s.c; l++ {
		p.include(s.up[l].rates.least, s.up[l].rates.most)
		if l < s.c {
			p.include(s.down[l].rates.least, s.down[l].rates.most)
		}
	}
	return math.Log10(p.most / p.least)
}
