package allocatecmd

import "math"

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

// Optimum is the best value of a parameter and the range of those that do not differ significantly from it.
type Optimum struct {
	Best      int // index of its outcome
	Low, High float64
}

// OptimumOf returns the value of a parameter with which a measure is largest. The i-th outcome is that with values[i]; Best
// is -1 where there are no outcomes.
func OptimumOf(outcomes []Outcome, values []float64, name string, confidence float64) Optimum {
	if len(outcomes) == 0 || len(values) < len(outcomes) {
		return Optimum{Best: -1, Low: math.NaN(), High: math.NaN()}
	}
	best, tied := Best(outcomes, name, true, confidence)
	o := Optimum{best, values[best], values[best]}
	for _, i := range tied {
		o.Low, o.High = min(o.Low, values[i]), max(o.High, values[i])
	}
	return o
}
