package phasetype

import (
	"slices"
)

// Sum returns the distribution of the sum of independent variables, the constant 0 if there are none. It has the phases
// of the summands one after another; a zero summand has none. The sum has an atom at zero if all summands have an atom.
// An atom of less than 1e-9 cannot be represented and is distributed over the phases. Sum returns an *[Error] if the
// orders add up to more than [MaxPhases].
func Sum(ds ...Dist) (Dist, error) {
	parts := slices.DeleteFunc(slices.Clone(ds), Dist.IsZero)
	n := order(parts)
	switch {
	case len(parts) == 0:
		return Dist{}, nil
	case n > MaxPhases:
		return Dist{}, tooMany(n)
	}
	alpha, moves, exit := make([]float64, n), make([]float64, n*n), make([]float64, n)
	entry := 1.0 // probability that the summands before are all 0
	base := 0
	for k, d := range parts {
		place(d, entry, base, alpha, moves, exit)
		for i := range d.n {
			exit[base+i] = enter(parts[k+1:], moves[(base+i)*n+base+d.n:], d.exit[i])
		}
		entry *= d.atom
		base += d.n
	}
	return fromRates(alpha, moves, exit)
}

// place writes d into the row-major chain alpha, moves and exit, as the phases from base on, entered with the given
// probability.
func place(d Dist, entry float64, base int, alpha, moves, exit []float64) {
	n := len(alpha)
	for i := range d.n {
		alpha[base+i] = entry * d.alpha[i]
		copy(moves[(base+i)*n+base:], d.t[i*d.n:(i+1)*d.n])
		exit[base+i] = d.exit[i]
	}
}

// enter overwrites row with the rates at which the initial phases of the parts are entered. The parts divide a total rate
// in their order. enter returns the rate at which all of them are skipped.
func enter(parts []Dist, row []float64, rate float64) (left float64) {
	for _, d := range parts {
		for i, a := range d.alpha {
			row[i] = rate * a
		}
		row = row[d.n:]
		rate *= d.atom
	}
	return rate
}

// Mixture returns the distribution that is ds[i] with probability weights[i]; the weights are normalised. Zero
// distributions among ds become an atom at zero. Components of weight 0 are omitted. It returns an *[Error] for wrong
// weights and if the orders add up to more than [MaxPhases].
func Mixture(weights []float64, ds []Dist) (Dist, error) {
	if len(weights) != len(ds) {
		return Dist{}, bad("weights", -1, -1, "has %d entries for %d distributions", len(weights), len(ds))
	}
	p, err := normalised(weights)
	if err != nil {
		return Dist{}, err
	}
	var used []Dist
	var share []float64
	for i, d := range ds {
		if p[i] > 0 && !d.IsZero() {
			used, share = append(used, d), append(share, p[i])
		}
	}
	n := order(used)
	switch {
	case n == 0:
		return Dist{}, nil
	case n > MaxPhases:
		return Dist{}, tooMany(n)
	}
	alpha, moves, exit := make([]float64, n), make([]float64, n*n), make([]float64, n)
	base := 0
	for k, d := range used {
		place(d, share[k], base, alpha, moves, exit)
		base += d.n
	}
	return fromRates(alpha, moves, exit)
}

// Scale returns the distribution of by·X: all rates are divided by the factor. The zero value stays what it is. It
// returns an *[Error] if the factor is not positive and finite, or too large or small for the rates.
func (d Dist) Scale(by float64) (Dist, error) {
	if err := positive("by", -1, by); err != nil {
		return Dist{}, err
	}
	if d.n == 0 || by == 1 {
		return d, nil
	}
	moves, exit := make([]float64, d.n*d.n), make([]float64, d.n)
	for k, v := range d.t {
		moves[k] = max(v, 0) / by
	}
	for i, v := range d.exit {
		exit[i] = v / by
	}
	return fromRates(d.alpha, moves, exit)
}

// order returns the sum of the orders of distributions.
func order(ds []Dist) (n int) {
	for _, d := range ds {
		n += d.n
	}
	return n
}
