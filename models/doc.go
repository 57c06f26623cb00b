// Package models holds the machines whose jobs share nodes, and the chains of the policies that have one.
//
// A [System] is a machine with its arrivals, run times and overheads; [System.Check] says what is wrong with one. A
// policy of package models/policy says how it is shared; [System.Chain] turns both into a [Model], which package markov
// solves, and whose Solve returns [Measures]:
//
//	System + policy.Policy → Chain → Model → Solve → Measures
//
// What is asked of them, which policy is fastest and where that changes, is in package models/decide. [DEP], [SP],
// [Smoothed] and [Resizing] are the chains of dynamic, static and smoothed partitioning and of rules that resize, on the
// machine of [Sharing] in the last two; the best of these rules is found in package models/optimal. A policy that brings a
// chain of its own is a [Chainer] and needs no change here. The package never simulates and never reads files; times are
// in whatever unit the system's are.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, Job Scheduling Strategies for Parallel Processing, LNCS 1162 (1996) 244–270.
package models
