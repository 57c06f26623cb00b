package phasetype

import "math/bits"

// eventList holds the probabilities of a chain after every s-th event of a Poisson process, from the event 0 on. The leaves
// of an entry are the probability of absorption until the next entry.
type eventList struct {
	spacing int // s, a power of two
	after   []afterEvents
	digits  int        // log2 s
	middle  float64    // (s+1)/2
	series  [4]float64 // see newEventList
}

// newEventList returns an empty list of every s-th event. The ratio of weights is
//
//	w_(j+1)/w_j = a^s·k!/(k+s)! = (a/m)^s/∏_i (1 − (i − ½)²/m²),   k = js, i = 1, …, s/2,
//
// where m is the middle of k+1, …, k+s. The last factor is a series in 1/m². Four terms have all digits for weights above
// 1e-11 of the largest. For all other weights that count, m is above 2s·√s, and the series has 12 digits.
func newEventList(s int) eventList {
	l := eventList{spacing: s, digits: bits.Len(uint(s)) - 1, middle: float64(s+1) / 2}
	for i := .5; i < float64(s)/2; i++ {
		before := 1.0
		for p, c := range l.series { // times the series of 1/(1 − i²·x)
			l.series[p] = c + i*i*before
			before = l.series[p]
		}
	}
	return l
}

// negligible is the relative size of terms that are left out.
const negligible = 0x1p-56

// mean returns the means of the probabilities after a Poisson number of events, where only every s-th event counts. With
// a expected events and w_j = a^(js)/(js)!, they are
//
//	Σ_j w_j·x_j / Σ_j w_j.
//
// The mean of leaves is the probability of absorption by the next single event, which is the derivative of died by a. It is
// the sum of w_j·(js/a − 1)·(died_j − died_m), for any m, where no term is negative if m is near a/s.
//
// The sums begin at m and go on in both directions. Weights fall faster than a geometric series, so those that are left
// out bound the terms that are left out. grow appends to the list. ok is false if grow returns false.
func (l *eventList) mean(a float64, grow func() bool) (mean afterEvents, ok bool) {
	middle := int(a) / l.spacing
	later, weights, ok := l.sumLater(a, middle, grow)
	if !ok {
		return mean, false
	}
	sum, total := l.addEarlier(later, weights, a, middle)
	return afterEvents{sum.alive / total, sum.died / total, sum.leaves / total}, true
}

// sumLater returns the sums of the terms from number j on, where the weight is one, and of their weights.
func (l *eventList) sumLater(a float64, j int, grow func() bool) (sum afterEvents, total float64, ok bool) {
	weight, died, perEvent := 1.0, 0.0, 1/a
	for ; ; j++ {
		for j >= len(l.after) {
			if !grow() {
				return sum, total, false
			}
		}
		x := l.after[j]
		distance := (float64(j*l.spacing) - a) * perEvent
		sum = sum.plus(weight, x, distance*died)
		total += weight
		ratio := l.ratio(a, j)
		weight *= ratio
		died += x.leaves
		if weight <= negligible*total && weight*max(distance, 1) <= negligible*min(sum.died, sum.leaves)*(1-ratio) || weight == 0 {
			return sum, total, true
		}
	}
}

// addEarlier adds the terms before number j, where the weight is one, to sum, and their weights to total.
func (l *eventList) addEarlier(sum afterEvents, total, a float64, j int) (afterEvents, float64) {
	weight, died, perEvent := 1.0, 0.0, 1/a
	for j--; j >= 0; j-- {
		x := l.after[j]
		ratio := 1 / l.ratio(a, j)
		weight *= ratio
		died += x.leaves
		sum = sum.plus(weight, x, (a-float64(j*l.spacing))*perEvent*died)
		total += weight
		if weight <= negligible*total && weight*ratio <= negligible*min(sum.alive, sum.leaves)*(1-ratio) {
			break
		}
	}
	return sum, total
}

// plus returns the sum with another term.
func (sum afterEvents) plus(weight float64, x afterEvents, leaves float64) afterEvents {
	return afterEvents{sum.alive + weight*x.alive, sum.died + weight*x.died, sum.leaves + weight*leaves}
}

// ratio returns w_(j+1)/w_j for a expected events.
func (l *eventList) ratio(a float64, j int) float64 {
	inverse := 1 / (float64(j*l.spacing) + l.middle)
	x, power, c := inverse*inverse, a*inverse, &l.series
	for range l.digits {
		power *= power
	}
	return power * (1 + x*(c[0]+x*(c[1]+x*(c[2]+x*c[3]))))
}
