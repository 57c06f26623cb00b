package days

// Best returns the index of the outcome with the largest value of a measure, or the least, and those of all that do not
// differ significantly from it at the given confidence, itself among them, in order. All outcomes are of the same days.
func Best(outcomes []Outcome, name string, largest bool, confidence float64) (best int, tied []int) {
	for i := range outcomes {
		x, y := outcomes[i].Of(name).Mean, outcomes[best].Of(name).Mean
		if largest && x > y || !largest && x < y {
			best = i
		}
	}
	for i := range outcomes {
		d := outcomes[best].Difference(&outcomes[i], name, confidence)
		if i == best || d.Low <= 0 && d.High >= 0 {
			tied = append(tied, i)
		}
	}
	return best, tied
}
