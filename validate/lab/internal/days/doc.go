// Package days simulates days on a space-shared machine: while it is day jobs come, at night the machine runs empty. A [Study]
// compares policies that choose how many nodes a job is to keep.
//
//	figures.yaml or a program → Study → Simulate → a row for each policy and load
//
// A [Workload] says which jobs arrive in a day. [Simulate] gives the same days to every policy, so that differences
// between policies are not due to chance, and adds up the results. The sums become the measures of an [Outcome], each
// with an interval.
//
//	Workload → jobs of a day → machine.Run, policy by policy → metric.Sums over days → Outcome
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996.
package days
