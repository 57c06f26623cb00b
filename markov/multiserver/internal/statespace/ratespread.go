package statespace

// RateSpread holds the smallest and the largest positive rate of a queue, as far as they were passed to Include. Their
// quotient measures how stiff the queue is.
type RateSpread struct{ Least, Most float64 }

// Include widens p, the smallest and the largest rate so far, to the given rates per unit of time. Zeros, negative
// numbers and NaN are ignored. p may be the zero value, in which both are 0. Where the largest rate is many times the
// smallest, results are checked against a method without subtractions.
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
