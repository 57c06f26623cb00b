package phasetype

// Minimum returns the distribution of the smaller of two independent variables: two chains run side by side until one is
// absorbed. Its order is Phases(a)·Phases(b), with
//
//	alpha = alpha_a ⊗ alpha_b,  T = T_a ⊕ T_b.
//
// It is zero if one of them is. It returns an *[Error] if the order exceeds [MaxPhases].
//
// Reference: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, Johns Hopkins University Press, 1981, ch. 2.
func Minimum(a, b Dist) (Dist, error) {
	n := a.n * b.n
	switch {
	case a.IsZero() || b.IsZero():
		return Dist{}, nil
	case n > MaxPhases:
		return Dist{}, tooMany(n)
	}
	alpha, moves, exit := make([]float64, n), make([]float64, n*n), make([]float64, n)
	kroneckerSum(moves, n, a.t, b.t, a.n, b.n)
	for i := range a.n {
		for j := range b.n {
			alpha[i*b.n+j] = a.alpha[i] * b.alpha[j]
			exit[i*b.n+j] = a.exit[i] + b.exit[j]
		}
	}
	return fromRates(alpha, moves, exit)
}

// Maximum returns the distribution of the larger of two independent variables: two chains run side by side, then the one
// that is not absorbed. Its order is Phases(a)·Phases(b) + Phases(a) + Phases(b). It returns an *[Error] if the order
// exceeds [MaxPhases].
//
// Reference: as of [Minimum].
func Maximum(a, b Dist) (Dist, error) {
	switch {
	case a.IsZero():
		return b, nil
	case b.IsZero():
		return a, nil
	}
	onlyA := a.n * b.n
	onlyB := onlyA + a.n
	n := onlyB + b.n
	if n > MaxPhases {
		return Dist{}, tooMany(n)
	}
	alpha, moves, exit := make([]float64, n), make([]float64, n*n), make([]float64, n)
	kroneckerSum(moves, n, a.t, b.t, a.n, b.n)
	for i := range a.n {
		for j := range b.n {
			s := i*b.n + j
			alpha[s] = a.alpha[i] * b.alpha[j]
			moves[s*n+onlyA+i] = b.exit[j]
			moves[s*n+onlyB+j] = a.exit[i]
		}
	}
	place(a, b.atom, onlyA, alpha, moves, exit)
	place(b, a.atom, onlyB, alpha, moves, exit)
	return fromRates(alpha, moves, exit)
}

// kroneckerSum adds a⊗I + I⊗b to the leading rows and columns of sum, a row-major matrix whose rows are width long.
func kroneckerSum(sum []float64, width int, a, b []float64, na, nb int) {
	for i := range na {
		for j := range nb {
			row := sum[(i*nb+j)*width:]
			for k := range na {
				row[k*nb+j] += a[i*na+k]
			}
			for k := range nb {
				row[i*nb+k] += b[j*nb+k]
			}
		}
	}
}
