// Package sched decides which jobs run on how many nodes of a space-shared machine.
//
// A scheduler is a [Policy]: after each event it is shown the machine through a [View] and answers with a list of
// [Action]s. It changes nothing itself: the machine (validate/machine) keeps the [State], checks what a policy asks
// for, moves the work of the jobs and charges what a change costs.
//
//	event → machine → State → View → Policy.Decide → []Action → machine
//
// Each scheduler is one file; [New] makes the one of a policy.Policy. A policy of one's own brings its scheduler by the
// method Scheduler, see [Maker]. What a View shows is all there is: EASY is written with it, and so could be another's.
package sched
