// Package lab holds experiments: experiments of papers, which are repeated with their jobs and their policies, and experiments on
// machines of real processes. An experiment takes a description and returns values with intervals:
//
//	CoschedulingRun  → [Coschedule]          → CoschedulingOutcome   nodes shared in time (Zhang et al. 2001)
//	EpochPoint       → EpochExperiment.Do    → EpochResult           schedules of a quantum (McCann, Zahorjan 1994)
//	DaysStudy        → DaysStudy.Simulate    → DaysOutcome           sizes of moldable jobs (Downey 1996)
//	ProtocolChange   → ProtocolMachines      → ProtocolRow           costs of repartitions (Islam et al. 1996)
//	TestbedStudy     → Measure, Predict, Run → TestbedComparison     real processes
//	FamilyJobs       → [RunFamilies]         → FamilyOutcome         one list of jobs under all families of policies
//
// The simulators and the machine of processes lie in folders of their own beneath this package. This package is the door to them: its
// names are all that a program needs to do an experiment.
package lab
