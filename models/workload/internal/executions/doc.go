// Package executions keeps the executions of jobs that a log lists, and makes the executions that were there from what the log lists.
//
//	rows of a log ──► [List.Add] ──► [List.Resolve] ──► [List.SetApart] ──► executions, by their numbers
//
// A log may list an execution several times, the pieces of a job that was resized, and the components of a heterogeneous job.
// [List.Resolve] makes one record of each. [List.SetApart] finds the records whose times cannot be right.
package executions
