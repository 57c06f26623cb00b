// Package models holds the machines whose jobs share nodes, and the chains of the policies that have one.
//
// A [System] is a machine with its arrivals, run times and overheads; [System.Check] says what is wrong with one. A
// policy of package models/policy says how it is shared; [System.Chain] turns both into a [Model], which package markov
// solves, and whose Solve returns [Measures]:
//
//	System + policy.Policy → Chain → Model → Solve → Measures
//
// What is asked of them, which policy is fastest and where that changes, is in package models/decide. Smoothing and rules that
// resize are chains on the machine of [Sharing]; the command advise finds the best of these rules. A policy that brings a
// chain of its own is a [Chainer] and needs no change here. The package never simulates and never reads files; times are
// in whatever unit the system's are.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, Job Scheduling Strategies for Parallel Processing, LNCS 1162 (1996) 244–270.
//
// # Files of a chain
//
// [WriteChains] writes the chain of each policy into a folder, for teaching and for whoever wants to solve it in another way:
//
//	README.txt    what the files hold, and how much pi.csv leaves out
//	states.csv    the states of each level, with what they mean
//	blocks.csv    the rates from state to state, by level
//	R.csv, G.csv  the matrices of the repeating part
//	pi.csv        the stationary probabilities, by level
//
// Levels are numbers of jobs. From the last boundary level b on the states of all levels are the same, and above it the
// rates.
//
// # Time sharing
//
// A [TimeSharedMachine] is the analytic model of gang scheduling: a machine that is given to classes of jobs in turn, a
// slice of time each, and within a slice is split into partitions that each run one job of the class.
//
//	Machine ─► one chain for each class ─► what the others see of it ─► the chains anew ─► … ─► Solution
//
// In the slices of class p the machine has c_p partitions, so that up to c_p jobs of the class run and others wait, first
// come, first served; between slices the jobs keep what they have done. A slice follows a switch-over, which nobody uses.
// A class without a job when its turn comes is passed over, at no cost; a slice ends when its quantum is over or, unless
// the machine holds slices, when the last job of its class leaves. When no class has a job the machine waits, and the
// first to come begins a switch-over. Arrivals are Markovian, and service times, quanta and switch-overs phase-type.
//
// With one class this is an exact quasi-birth-and-death process. With several it is solved one class at a time. The chain of
// class p knows of each other class whether it has jobs: if it has, it is visited when its turn comes, for a time of which
// two moments are kept, and then has no job left with a fixed probability; if it has none, one comes at a fixed rate. These
// moments, probabilities and rates come from the chains of the other classes, and the whole is a fixed point. So it is an
// approximation, and a [TimeSharedSolution] of several classes says so: that another class has had jobs for long, or that this one
// has many, says more of how soon it will have none than is kept. Mean numbers of jobs come out too low, by some 2 % where
// the machine is in use for 40 % of the time and by some 20 % at 80 %.
//
// Reference: M. S. Squillante, F. Wang, M. Papaefthymiou, Stochastic analysis of gang scheduling in parallel and
// distributed systems, Performance Evaluation 27/28 (1996) 273–296.
package models
