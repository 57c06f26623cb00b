// Package logflags has the flags of all commands that read job logs.
//
// [Reading] says how a log is read, [LogOptions] which of its jobs are taken: together with a path they become a [Selection],
// which can be read any number of times. [Assuming] says what no log tells of its jobs, and lists what nobody said.

package input
