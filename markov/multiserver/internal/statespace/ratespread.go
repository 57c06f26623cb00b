package statespace

// RateSpread holds the least and the largest positive rate that it has been given. Their quotient tells how stiff a
// queue is.
type RateSpread struct{ Least, Most float64 }

// Include extends the spread to the given rates, in place; zeros and negative numbers are ignored.
func (p *RateSpread) Include(rates ...float64) {
	for _, v := range rates {
		if v > 0 {
			p.Most = max(p.Most, v)
			if p.Least == 0 || v < p.Least {
				p.Least = v
			}
		}
	}
}
