package sched

// epochChanges lists, for each unit of a quantum, the pieces of a schedule that start or end there. So the time of an alarm
// is proportional to the number of pieces that change. With J jobs, a search of all J pieces at each of up to J alarms
// of a quantum would take J² steps.
type epochChanges struct {
	pieces []int // piece numbers by unit, ascending within a unit
	ends   []int // by unit: the end of its piece numbers in pieces
}

// list sets c to the changes of schedule s, whose quantum has so many units, and overwrites the earlier list. A piece that
// ends with the quantum counts at unit 0 of the next quantum. A piece that fills the quantum changes nowhere.
func (c *epochChanges) list(s *EpochSchedule, units int) {
	c.ends = zeros(c.ends, units)
	for i := range s.Pieces {
		if start, end := s.Pieces[i].turns(units); start != end {
			c.ends[start]++
			c.ends[end]++
		}
	}
	total := 0
	for u, n := range c.ends {
		c.ends[u] = total // the begin, until the piece numbers are filled in
		total += n
	}
	c.pieces = zeros(c.pieces, total)
	for i := range s.Pieces {
		if start, end := s.Pieces[i].turns(units); start != end {
			for _, u := range [2]int{start, end} {
				c.pieces[c.ends[u]] = i
				c.ends[u]++
			}
		}
	}
}

// turns returns the units of a quantum at which the piece starts and ends. A piece that ends with the quantum ends at
// unit 0 of the next one.
func (p *EpochPiece) turns(units int) (start, end int) { return p.Start % units, p.End % units }

// at returns the numbers of the pieces that start or end at a unit of the quantum, ascending. It is a part of c.pieces, valid
// until the next call of list.
func (c *epochChanges) at(unit int) []int {
	if unit == 0 {
		return c.pieces[:c.ends[0]]
	}
	return c.pieces[c.ends[unit-1]:c.ends[unit]]
}

// after returns the first unit after the given one at which a piece starts or ends, or the number of units: the end of the
// quantum.
func (c *epochChanges) after(unit int) int {
	for unit++; unit < len(c.ends) && len(c.at(unit)) == 0; unit++ {
	}
	return unit
}
