package fit

import (
	"context"
	"math"
	"slices"

	"github.com/partwise/partwise/fit/internal/elementary"
	"github.com/partwise/partwise/fit/internal/optimum"
)

const (
	ratesPerOctave = 3   // on the grid of rates of a mixing distribution
	maxGridRates   = 150 // a grid over more octaves is coarser
	maxSupport     = 8   // exponentials that represent a mixing distribution
	// leastMixingWeight is the weight of a rate below which the rate does not belong to a mixing distribution.
	leastMixingWeight = 1e-7
)

// mixingDistribution returns the mixture of exponentials that fits the bins best, of any number of them, with rates on
// a logarithmic grid. Rates with weights up to 1e-7 are dropped. Runs of neighbouring rates of the grid become one
// exponential each, and the nearest are joined until at most maxSupport, 8, are left. Their rates ascend. Without
// truncation, the likelihood is concave in the weights of the grid's rates. So the result does not depend on a start,
// and shows where mixtures of few exponentials may have their rates. It is a point on the way if ctx ends.
//
// Reference: N. P. Jewell, Mixtures of exponential distributions, Ann. Statist. 10 (1982) 479–484.
func (p *problem) mixingDistribution(ctx context.Context, bins []bin) mixture {
	rates := p.gridRates()
	x := optimum.NewMixing(len(rates), p.total)
	components := newComponentRates(rates)
	for i := range bins {
		o := optimum.Observation{Weight: bins[i].w, Row: make([]float64, len(rates))}
		if bins[i].kind == truncatedBin {
			o.Weight = -o.Weight // it divides the likelihood
		}
		p.setExponentialRow(o.Row, &bins[i], components)
		x.Rows = append(x.Rows, o)
	}
	x.IndexRows()
	x.SetAlpha(sparseStart(len(rates)))
	x.Maximise(ctx)
	var joined []weightedRate
	last := -2
	for i, w := range x.Alpha {
		if !(w > leastMixingWeight) {
			continue
		}
		if i > last+1 {
			joined = append(joined, weightedRate{})
		}
		joined[len(joined)-1].add(w, 1/rates[i])
		last = i
	}
	return mixtureOf(joinNearest(joined, maxSupport))
}

// sparseStart returns the weights of n rates on a grid from which the search for a mixing distribution starts: 1 for
// one rate in two octaves, and 0 for the others. The densities of these rates cover all times. A step of the search
// factors the matrix of the positive weights again for each weight that falls to zero. From equal weights, nearly all
// of them would do so in the first step, which took four fifths of the time.
func sparseStart(n int) []float64 {
	start := make([]float64, n)
	for i := 0; i < n; i += 2 * ratesPerOctave {
		start[i] = 1
	}
	return start
}

// gridRates returns ascending rates, in a geometric progression, whose means cover the times from a quarter of the
// smallest to four times the largest. The resolution takes the place of the smallest time if it is smaller. The rates
// are per unit of scaled time. There are about three between x and 2x, but at most 150 in all.
func (p *problem) gridRates() []float64 {
	smallest := p.first
	if p.r > 0 {
		smallest = min(smallest, p.r)
	}
	low, high := 1/(4*p.last), 4/smallest
	octaves := math.Log2(high / low)
	n := min(int(octaves*ratesPerOctave)+2, maxGridRates)
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = low * math.Exp2(octaves*float64(i)/float64(n-1))
	}
	return rates
}

// componentRates holds the rates of exponential distributions, per unit of scaled time, and the logarithms of the rates.
type componentRates struct{ rates, logs []float64 }

// newComponentRates returns the given positive rates with their logarithms.
func newComponentRates(rates []float64) componentRates { return componentRates{rates, logsOf(rates)} }

// setExponentialRow overwrites row with the likelihood of a bin of the data under each of the exponentials, divided by
// the largest likelihood. The likelihood of an exact value is its density, otherwise the probability of the interval or
// lower bound. An interval above 0 that is narrower than screenWidth, 0.2, of its middle counts as the density there
// times its width. For a truncated bin it is the probability of a longer time.
func (p *problem) setExponentialRow(row []float64, b *bin, of componentRates) {
	top := math.Inf(-1)
	for i, rate := range of.rates {
		switch {
		case b.kind == truncatedBin: // divided by the probability of being observed
			row[i] = -rate * b.hi
		case b.kind != valueBin || p.r > 0:
			row[i], _ = erlangInterval(b, 1, rate, screenWidth)
		default:
			row[i] = of.logs[i] - rate*b.x
		}
		top = max(top, row[i])
	}
	for i, v := range row {
		row[i] = elementary.Exp(v - top)
	}
}

// weightedRate is a part of a mixture of exponentials: its weight, and the weight times the mean.
type weightedRate struct{ weight, times float64 }

// add adds an exponential with a weight and a mean to r, in place. r stands for several exponentials: it holds their
// total weight and their weighted sum of means.
func (r *weightedRate) add(weight, mean float64) {
	r.weight += weight
	r.times += weight * mean
}

// joined returns one exponential in place of r and with: it has their total weight and their weighted mean.
func (r weightedRate) joined(with weightedRate) weightedRate {
	return weightedRate{r.weight + with.weight, r.times + with.times}
}

// joinNearest returns at most most exponentials: neighbours in the list, whose means descend, are joined in pairs until
// at most so many are left. Neighbours with the smallest ratio of means are joined first. rates stays unchanged.
func joinNearest(rates []weightedRate, most int) []weightedRate {
	rates = slices.Clone(rates)
	for len(rates) > most {
		at, least := 0, math.Inf(1)
		for i := range rates[1:] {
			ratio := rates[i].times / rates[i].weight * rates[i+1].weight / rates[i+1].times
			if ratio < least {
				at, least = i, ratio
			}
		}
		rates[at] = rates[at].joined(rates[at+1])
		rates = slices.Delete(rates, at+1, at+2)
	}
	return rates
}

// mixtureOf returns a mixture of exponential distributions with the given parts, its weights divided by their sum. A
// part with the weight w and times t, which is w times the mean, has the rate w/t. Ascents start from it.
func mixtureOf(rates []weightedRate) mixture {
	m := mixture{shapes: slices.Repeat([]int{1}, len(rates))}
	for _, r := range rates {
		m.weights = append(m.weights, r.weight)
		m.rates = append(m.rates, r.weight/r.times)
	}
	normalise(m.weights)
	return m
}

// grouped returns the mixtures of n exponentials that join neighbouring branches of m, a mixture of exponentials, in
// all possible ways. It returns none if m has fewer than n branches. Ascents with n phases start from them.
func (m mixture) grouped(n int) []mixture {
	var all []weightedRate
	for b, w := range m.weights {
		all = append(all, weightedRate{w, w / m.rates[b]})
	}
	var out []mixture
	var walk func(from int, head []weightedRate)
	walk = func(from int, head []weightedRate) {
		if len(head) == n-1 {
			if from < len(all) {
				last := all[from]
				for _, r := range all[from+1:] {
					last = last.joined(r)
				}
				out = append(out, mixtureOf(append(slices.Clone(head), last)))
			}
			return
		}
		var group weightedRate
		for i := from; i < len(all); i++ {
			group = group.joined(all[i])
			walk(i+1, append(slices.Clone(head), group))
		}
	}
	walk(0, nil)
	return out
}
