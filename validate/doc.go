// Package validate simulates the machines that package models solves, and compares the two.
//
//	models.System, policy.Policy → [Simulate] → [Simulation] ± → [Compare] (models.Measures) → [Comparison]
//	machine.Config, jobs of a log → [RunJobs] → [Course] → measures ±
//
// Every replay of a log is a [Course]: [Replay] runs the jobs on the machine of a system, and package replay runs them under its
// assumptions about the jobs.
//
// The simulator takes from the models the description of the system and nothing else: it walks through the life of
// every job and never sees a generator matrix. Its results at "model" fidelity must agree with the solver within their
// intervals. Its results at "machine" fidelity, with whole nodes, show the effect of the simplifications of the model.
package validate
