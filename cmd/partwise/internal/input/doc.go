// Package input is what the commands share that read a model file or a job log: the flags that name and change a model
// and choose policies, and the words by which every result names models, policies, units and warnings.
//
// Flags and the first argument become a [modelfile.Model] ([Load]) and a [Request]. [Heading] and [Headline] name the
// results of solving or simulating the model, in every command.
//
// # Job logs
//
// Other flags are those of all commands that read job logs.
//
// [Reading] says how a log is read, [LogOptions] which of its jobs are taken: together with a path they become a [Selection].
// The log is read once and kept in memory while it fits there; its jobs can be passed over any number of times. [Assuming] says
// what no log tells of its jobs, and lists what nobody said.
package input
