package des

// Class is a kind of jobs. The phases of the demands of all classes lie side by side in one distribution, so that the phase
// in which a job starts tells its class.
type Class struct {
	Phases   int // of the demand
	MaxNodes int // the largest number of nodes that a job can use
	// Speedup returns at n nodes how much faster a job runs there than on one.
	Speedup interface{ At(n float64) float64 }
}

// ByPhase returns the number of the class of each phase; nil if there are no classes.
func ByPhase(classes []Class) (of []int32) {
	for k, c := range classes {
		for range c.Phases {
			of = append(of, int32(k))
		}
	}
	return of
}
