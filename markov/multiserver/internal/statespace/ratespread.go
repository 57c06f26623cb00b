package statespace

// RateSpread holds the smallest and the largest positive rate of a queue, as far as they were passed to Include. Their
// quotient measures how stiff the queue is.
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
