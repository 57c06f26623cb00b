// Package models holds machines whose jobs share nodes, and the chains of the policies that have one.
//
// A [System] is a machine with its arrivals, run times and overheads; [System.Check] tells whether it is valid. A policy
// of package models/policy determines how the machine is shared. [System.Chain] makes a [Model] of both. Package markov
// solves its chain, and its Solve returns [Measures]:
//
//	System + policy.Policy → Chain → Model → Solve → Measures
//
// Package models/decide answers questions about them: which policy is fastest, and where that changes. Smoothing and
// rules that resize are chains on the machine of [Sharing]; the command advise finds the best of these rules. A policy
// that has a chain of its own is a [Chainer] and needs no change here. The package never simulates and never reads files.
// Times are in the unit of the system.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, Job Scheduling Strategies for Parallel Processing, LNCS 1162 (1996) 244–270.
//
// # Files of a chain
//
// [WriteChains] writes the chain of each policy into a folder, for teaching and for other solvers:
//
//	README.txt    what the files hold, and how much pi.csv leaves out
//	states.csv    the states of each level, with their meaning
//	blocks.csv    the rates from state to state, by level
//	R.csv, G.csv  the matrices of the repeating part
//	pi.csv        the stationary probabilities, by level
//
// Levels are numbers of jobs. From the last boundary level b on all levels have the same states, and above it the same
// rates.
//
// # Time sharing
//
// A [TimeSharedMachine] is the analytic model of gang scheduling. The machine is given to classes of jobs in turn, for a
// slice of time each. Within a slice it is divided into partitions, each of which runs one job of the class.
//
//	Machine ─► one chain for each class ─► what the other classes see of it ─► the chains again ─► … ─► Solution
//
// In the slices of class p the machine has c_p partitions. So up to c_p jobs of the class run, and others wait first
// come, first served. Between slices jobs keep the work that is done. A switch-over, during which no job runs, precedes
// each slice. A class without a job is passed over at no cost when its turn comes. A slice ends when its quantum is over
// or, unless the machine holds slices, when the last job of its class leaves. If no class has a job, the machine waits,
// and the first arrival begins a switch-over. Arrivals are Markovian; service times, quanta and switch-overs are
// phase-type.
//
// With one class this is an exact quasi-birth-and-death process. Several classes are solved one at a time. The chain of
// class p only knows of each other class whether it has jobs. If the other class has jobs, it is visited when its turn
// comes, for a time of which two moments are known. After the visit it has no job left with a fixed probability. If it
// has no jobs, one arrives at a fixed rate. These moments, probabilities and rates come from the chains of the other
// classes, so the whole is a fixed point. It is an approximation, and a [TimeSharedSolution] of several classes has a
// warning: how long another class has had jobs, or how many jobs this class has, says more about when the other class
// becomes empty than the chain keeps. Mean numbers of jobs are too low: by some 2 % if the machine is in use for 40 %
// of the time, and by some 20 % at 80 %.
//
// Reference: M. S. Squillante, F. Wang, M. Papaefthymiou, Stochastic analysis of gang scheduling in parallel and
// distributed systems, Performance Evaluation 27/28 (1996) 273–296.
package models
