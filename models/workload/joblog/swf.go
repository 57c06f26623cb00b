// Package swf reads, filters and writes job logs in Standard Workload Format.
//
// A [SWFReader] gives the jobs of a log one by one, in bounded memory, whatever the length of the log and of its comments;
// [Filter] and [Stretch] are steps on the way; a [SWFWriter] writes them again.
//
// Reference: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, Job
// Scheduling Strategies for Parallel Processing, LNCS 1659 (1999) 67–90.

package joblog
