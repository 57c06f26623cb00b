// Package joblog reads the job logs of batch systems as they come, and writes them.
//
// [Open] recognises the format of a log by its beginning; one reader per format turns it into the same jobs, each a
// [Job], in the order of their submission. Filters, workloads and fits see nothing else. A log in Standard Workload
// Format is read as it goes. Batch systems write jobs in the order of their numbers or of their ends, repeat them, and
// list their steps; such a log is read as a whole into records of 40 bytes a job, from which the jobs are made.
//
// Lines that hold no job are counted by what is wrong with them, see [Finding]; reading goes on behind them.
//
// # Standard Workload Format
//
// The package reads, filters and writes job logs in Standard Workload Format.
//
// A [SWFReader] gives the jobs of a log one by one, in bounded memory, whatever the length of the log and of its comments;
// [Filter] and [Stretch] are steps on the way; a [SWFWriter] writes them again.
//
// Reference: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, Job
// Scheduling Strategies for Parallel Processing, LNCS 1659 (1999) 67–90.
package joblog
