package workload

// Speedup tells how much faster a job runs on n nodes than on one.
type Speedup interface {
	// At returns S(n) for a real number of nodes n ≥ 1; S(1) = 1.
	At(n float64) float64
}
