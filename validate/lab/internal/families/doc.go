// Package families runs one list of jobs under all families of policies. Some families give each job nodes of its own, and take jobs
// as rigid, moldable or malleable. Some give nodes by epochs. The others share nodes in time.
//
//	Workload ─┬► machine.Run, family by family ─┐
//	          └► cluster.Run, family by family ─┴► batches of jobs ─► Outcome, with intervals
//
// All families are given the same jobs, so that they differ by what they do and not by chance. What a family assumes of the jobs
// beyond what is known of them is in its Assumes.
package families
