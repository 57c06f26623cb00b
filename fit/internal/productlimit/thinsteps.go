package productlimit

import "math"

// ThinSteps returns the steps to show in a picture. It returns up to 300 steps unchanged. From more steps it takes the
// first, the last, and the first step in each cell of a grid. The grid divides the logarithms of the time and of both
// tail probabilities. If more than 900 steps remain, it takes 900 of them at equal distances. The steps are in
// ascending order.
func (e *Estimate) ThinSteps() []Step {
	const few = 300
	all := e.Steps
	if len(all) <= few {
		return all
	}
	cell := func(s Step) [3]int {
		tail := func(p float64) int { return int(math.Floor(12 * math.Log2(max(p, 1e-12)))) }
		return [3]int{int(math.Floor(6 * math.Log2(s.X))), tail(s.After), tail(1 - s.After)}
	}
	out := []Step{all[0]}
	last := cell(all[0])
	for _, s := range all[1 : len(all)-1] {
		if c := cell(s); c != last {
			last = c
			out = append(out, s)
		}
	}
	out = append(out, all[len(all)-1])
	if len(out) <= 3*few {
		return out
	}
	var sparse []Step
	for i := range 3 * few {
		sparse = append(sparse, out[i*(len(out)-1)/(3*few-1)])
	}
	return sparse
}
