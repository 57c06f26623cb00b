// Package joblog reads and makes job logs: the commands log and workload.
//
// A log and the flags that choose its jobs become a [Selection], which can be read any number of times; package
// simulation replays it. The command log describes its jobs and their estimates, workload writes a log of a model of
// jobs.
package joblog
