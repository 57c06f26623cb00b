// Package joblog reads the job logs of batch systems as they come, and writes them.
//
//	file → decompression → [Reader]: one parser per format → [Job] by job → [Keep] → [List] → any number of passes
//
// [Open] recognises the format of a log by its beginning; one parser per format turns it into the same jobs, each a
// [Job]. Filters, workloads and fits see nothing else. A log in Standard Workload Format is read as it goes, in bounded
// memory, whatever the length of the log and of its comments. Batch systems write jobs in the order of their numbers or of
// their ends, repeat them, and list their steps; such a log is read as a whole into records of 32 bytes a job, from which
// the jobs are made, in the order of their submission.
//
// [Keep] reads a source once and keeps its jobs in some 30 bytes each. [Filter] and [Stretch] are steps on the way;
// [Writers] write jobs again.
//
// Lines that hold no job are counted by what is wrong with them, see [Finding]; reading goes on behind them. In a log in
// Standard Workload Format such a line is an error.
//
// Reference: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, Job
// Scheduling Strategies for Parallel Processing, LNCS 1659 (1999) 67–90.
package joblog
