package statespace

// ArrivalShifts returns the probabilities stay and shift by which an arrival leaves the index of an occupancy, or
// increases it by one. s holds the transitions by arrivals of a level, one row for each occupancy, as
// [StateIndex.Arrival] makes them for two phases. If the probabilities differ between occupancies, or if there are
// other moves, it returns 0, 0 and false. Products with s are then shifted copies of a vector, which elimination uses.
func (s *Sparse) ArrivalShifts() (stay, shift float64, ok bool) {
	for i := range s.Rows {
		var own [2]float64
		cols, vals := s.Row(i)
		for e, j := range cols {
			if by := int(j) - i; by == 0 || by == 1 {
				own[by] += vals[e]
			} else {
				return 0, 0, false
			}
		}
		if i == 0 {
			stay, shift = own[0], own[1]
		} else if own[0] != stay || own[1] != shift {
			return 0, 0, false
		}
	}
	return stay, shift, true
}

// DepartureShifts reports whether every departure leaves the index of an occupancy or reduces it by one. s holds the
// transitions by departures of a level, one row for each occupancy and a column for each occupancy of one job less.
// Products with s then combine neighbouring rows, which elimination uses.
func (s *Sparse) DepartureShifts() bool {
	for i := range s.Rows {
		cols, _ := s.Row(i)
		for _, j := range cols {
			if int(j) != i && int(j) != i-1 {
				return false
			}
		}
	}
	return true
}
