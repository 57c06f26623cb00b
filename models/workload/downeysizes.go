package workload

// LowerBound returns the least speedup on n ≥ 1 nodes of any job with average parallelism A,
//
//	S(n) ≥ A·n / (A + n − 1),
//
// which At approaches as Sigma grows.
//
// Reference: D. L. Eager, J. Zahorjan, E. D. Lazowska, Speedup versus efficiency in parallel systems, IEEE Trans.
// Comput. 38 (1989) 408–423.
func (d Downey) LowerBound(n float64) float64 { return d.A * n / (d.A + n - 1) }

// Knee returns the real number of nodes n that maximises the power S(n)²/n of speedup and efficiency, the processor
// working set: for Sigma ≤ 1
//
//	A                                      Sigma ≤ 2A / (3A − 1)
//	Sigma·(A − 1/2) / (1 − Sigma/2)        beyond,
//
// and (A·Sigma + A − Sigma) / Sigma for Sigma ≥ 1, but at least the one node from which on a speedup is defined.
//
// References: Downey, equation 6; D. Ghosal, G. Serazzi, S. K. Tripathi, The processor working set and its use in
// scheduling multiprocessor systems, IEEE Trans. Software Eng. 17 (1991) 443–453.
func (d Downey) Knee() float64 {
	a, sigma := d.A, d.Sigma
	switch {
	case sigma >= 1:
		return max(1, (a*sigma+a-sigma)/sigma)
	case sigma <= 2*a/(3*a-1):
		return a
	}
	return sigma * (a - 0.5) / (1 - sigma/2)
}

// Saturation returns the least real number of nodes on which the job runs as fast as it ever does, S(n) = A:
//
//	A                      Sigma = 0
//	2A − 1                 0 < Sigma ≤ 1
//	A + A·Sigma − Sigma    Sigma ≥ 1.
//
// Reference: Downey, equation 7, which has 2A, one node more than equation 1 needs, in the middle.
func (d Downey) Saturation() float64 {
	switch {
	case d.Sigma == 0:
		return d.A
	case d.Sigma <= 1:
		return 2*d.A - 1
	}
	return d.A + d.A*d.Sigma - d.Sigma
}

// Restrained returns the number of nodes of Sevcik's rule A+ in Downey's form, which falls linearly in the offered load
// and in Sigma from A to 1,
//
//	A − load·(Sigma/2)·(A − 1),
//
// at least 1. Where load·Sigma ≤ 2, as it is for jobs with Sigma ≤ 2 on a machine that can cope with them, the bound
// does not matter.
//
// Reference: K. C. Sevcik, Characterizations of parallelism in applications and their use in scheduling, Performance
// Evaluation Review 17 (1989) 171–180; Downey, figure 10.
func (d Downey) Restrained(load float64) float64 {
	return max(1, d.A-load*d.Sigma/2*(d.A-1))
}
