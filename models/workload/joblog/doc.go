// Package joblog reads the job logs of batch systems as they come, and writes them.
//
// [Open] recognises the format of a log by its beginning; one reader per format turns it into the same jobs, those of
// package swf, in the order of their submission. Filters, workloads and fits see nothing else. A log in Standard Workload
// Format is read as it goes. Batch systems write jobs in the order of their numbers or of their ends, repeat them, and
// list their steps; such a log is read as a whole into records of 40 bytes a job, from which the jobs are made.
//
// Lines that hold no job are counted by what is wrong with them, see [Finding]; reading goes on behind them.
package joblog
