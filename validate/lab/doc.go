// Package lab holds experiments: those of papers, which are repeated with their jobs and their policies, and experiments on machines
// of real processes. Each experiment takes a description and returns values with intervals.
//
//	family of policies, jobs of a log or a system → RunFamilies → a FamilyOutcome for each family
//	machine of processes → TestbedStudy: Measure, Predict, Run → a TestbedComparison for each measure
//
// The simulators and the machine of processes lie in folders of their own beneath this package. This package is the door to them: its
// names are all that a program needs to do an experiment.
package lab
