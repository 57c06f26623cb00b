// Package joblog reads the job logs of batch systems as they come, and writes them.
//
//	file → decompression → one parser per format → [Log]: jobs, what was found → [Range.Choose], [Stretch] → [WriteSWF]
//
// [Read] recognises the format of a log by its beginning. A format is an entry of the table of formats and a file, which turns
// its logs into the same jobs, each a
// [Job]. Workloads and fits see nothing else. Batch systems write jobs in the order of their numbers or of their ends,
// repeat them, and list their steps. The jobs of such a log are made when all lines have been read, in the order of their
// submission.
//
// Lines that hold no job are counted by what is wrong with them, see [Finding]; reading goes on behind them. A log of
// which no line holds a job is an error.
//
// Reference: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, Job
// Scheduling Strategies for Parallel Processing, LNCS 1659 (1999) 67–90.
package joblog
