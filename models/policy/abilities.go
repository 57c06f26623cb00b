package policy

import "github.com/partwise/partwise/phasetype"

// The interfaces below say how a policy divides a machine whose jobs have equal shares. A policy that has one of them gets the exact
// chain of package models and the simulation at model fidelity of package validate. Neither knows policies by their names.

// Splitting is a policy that splits the machine once into equal partitions.
type Splitting interface {
	Policy
	// Split returns the number of partitions. It divides the N partitions of a machine that Check accepts.
	Split() int
}

// Dividing is a policy that divides the machine evenly among the running jobs whenever their number changes.
type Dividing interface {
	Policy
	// MostJobs returns the largest number of jobs that run on a machine of so many units; further jobs wait.
	MostJobs(units int) int
}

// Spacing is a policy that divides the machine evenly with a random minimum time between repartitions, which begins with each of
// them. A repartition is not cut short.
type Spacing interface {
	Policy
	// MinimumTime returns the distribution of the minimum time, in the time unit of the machine.
	MinimumTime() (phasetype.Dist, error)
}

// Ruled is a policy that divides the machine anew when a rule says so.
type Ruled interface {
	Policy
	// Rule returns the rule.
	Rule() Resize
}

// Queued is a policy of rigid jobs: each job keeps the nodes that it asks for, and waiting jobs start in an order that depends on the
// queue alone.
type Queued interface {
	Policy
	// Tried returns the number of jobs at the head of the queue that are tried: the first of them that fits into the free nodes
	// starts, again and again. It is 1 for first come, first served.
	Tried() int
}
