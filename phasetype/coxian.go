package phasetype

// Coxian returns the distribution of a chain that passes phases in order: phase i is left at rate rates[i], for phase
// i+1 with probability cont[i] and for absorption otherwise. There is one continuation probability less than there are
// rates, or as many with the last one 0. It returns an *[Error] for wrong rates and probabilities.
//
// Reference: D. R. Cox, A use of complex probabilities in the theory of stochastic processes, Math. Proc. Cambridge
// Philos. Soc. 51 (1955) 313–319.
func Coxian(rates, cont []float64) (Dist, error) {
	n := len(rates)
	switch {
	case n == 0:
		return Dist{}, bad("rates", -1, -1, "there are none")
	case n > MaxPhases:
		return Dist{}, bad("rates", -1, -1, "%d phases, at most %d are supported", n, MaxPhases)
	case len(cont) == n && cont[n-1] != 0:
		return Dist{}, bad("continue", n-1, -1, "%v: there is no phase after the last", cont[n-1])
	case len(cont) != n && len(cont) != n-1:
		return Dist{}, bad("continue", -1, -1, "has %d entries, %d phases need %d", len(cont), n, n-1)
	}
	alpha, moves, exit := make([]float64, n), make([]float64, n*n), make([]float64, n)
	alpha[0] = 1
	for i, r := range rates {
		if err := positive("rates", i, r); err != nil {
			return Dist{}, err
		}
		var c float64
		if i < n-1 {
			c = cont[i]
			if !(c >= 0 && c <= 1) {
				return Dist{}, bad("continue", i, -1, "%v is not a probability", c)
			}
			moves[i*n+i+1] = r * c
		}
		exit[i] = r * (1 - c)
	}
	return fromRates(alpha, moves, exit)
}
