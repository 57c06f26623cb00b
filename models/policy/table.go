package policy

// Standard returns the table of the policies that this module has, in the order in which they are shown. Each entry stands beside
// its policy, as the method entry.
func Standard() Table {
	return Table{
		Dynamic{}.entry(),
		Static{}.entry(),
		Capped{}.entry(),
		Smoothing{}.entry(),
		Resize{}.entry(),
		Folding{}.entry(),
		Limited{}.entry(),
		FCFS{}.entry(),
		FirstFit{}.entry(),
		EASY{}.entry(),
		EASYMalleable{}.entry(),
		Conservative{}.entry(),
		Molding{Size: SEV}.entry(),
		Molding{Size: AVG}.entry(),
		Molding{Size: PWS}.entry(),
		Molding{Size: MAX}.entry(),
		Molding{Size: ThreeHalves}.entry(),
		Molding{Size: SimplifiedSEV}.entry(),
		Molding{Size: ASP}.entry(),
		Fraction{}.entry(),
		Epochs{Rule: Buddy}.entry(),
		Epochs{Rule: Hybrid}.entry(),
		Epochs{Rule: EquiEpoch}.entry(),
		Epochs{Rule: OptEpoch}.entry(),
		Epochs{Rule: HeuristicEpoch, Spread: 2}.entry(),
		Gang{}.entry(),
		Coscheduling{}.entry(),
		Coscheduling{Wait: SpinBlock}.entry(),
		Coscheduling{Wait: SpinYield}.entry(),
		Coscheduling{Arrival: InterruptBoost}.entry(),
		Coscheduling{Arrival: InterruptBoost, Wait: SpinBlock}.entry(),
		Coscheduling{Arrival: InterruptBoost, Wait: SpinYield}.entry(),
		Coscheduling{Arrival: PeriodicBoost}.entry(),
		Coscheduling{Arrival: PeriodicBoost, Wait: SpinBlock}.entry(),
		Coscheduling{Arrival: PeriodicBoost, Wait: SpinYield}.entry(),
	}
}
