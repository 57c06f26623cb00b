// Package validate simulates the machines that package models solves, and compares the two.
//
//	models.System, policy.Policy → [Simulate] → [Simulation] ± → [Compare] (models.Measures) → [Comparison]
//
// The simulator takes from the models the description of the system and nothing else: it walks through the life of
// every job and never sees a generator matrix. What it says at "model" fidelity must agree with the solver within its
// intervals; what it says at "machine" fidelity, with whole nodes, shows what the simplifications of the model cost.
package validate
