package simulation

// Class is a class of jobs. The phases of the demands of all classes lie side by side in one distribution, so the phase
// in which a job starts tells its class.
type Class struct {
	Phases   int // of the demand
	MaxNodes int // the largest number of nodes that a job can use
	Nodes    int // the number of nodes that a rigid job asks for; 0 if that is not known
	// Speedup.At(n) is the run time of a job on one node over its run time on n nodes.
	Speedup interface{ At(n float64) float64 }
}

// ByPhase returns, for each phase of the joint distribution of demands, the index of its class, from 0. It is nil if there
// are no classes.
func ByPhase(classes []Class) (of []int32) {
	for k, c := range classes {
		for range c.Phases {
			of = append(of, int32(k))
		}
	}
	return of
}
