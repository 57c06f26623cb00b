package multiserver

import (
	"math"

	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// decadesOfRates returns log10 of the largest rate of the queue over the least positive rate, over arrivals, service
// and switch-overs. Speeds of occupancies do not count. The arrivals, service and switch-overs of s must be set. Where
// the result is large, methods that subtract are checked against one that does not.
func (s *system) decadesOfRates() float64 {
	var p statespace.RateSpread
	p.Include(s.ar.D0.Data...)
	for q := range s.ar.Classes {
		for a := range s.ar.N {
			for _, v := range s.ar.A.Row(q) {
				p.Include(s.ar.F.At(a, q) * v)
			}
		}
	}
	for l := range s.c {
		if l > 0 && &s.exit[l][0] == &s.exit[l-1][0] { // one distribution serves for all levels
			break
		}
		p.Include(s.t[l].Data...)
		p.Include(s.exit[l]...)
	}
	for l := 1; l <= s.c; l++ {
		p.Include(s.up[l].Rates.Least, s.up[l].Rates.Most)
		if l < s.c {
			p.Include(s.down[l].Rates.Least, s.down[l].Rates.Most)
		}
	}
	return math.Log10(p.Most / p.Least)
}
