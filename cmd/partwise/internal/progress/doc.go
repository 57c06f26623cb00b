// Package progress tells on standard error what a command does: notes, warnings, how far the command has come, and the time that is
// left.
//
// A task tells each [State] to a [Display]. A [Bar] draws the last state as one line of a terminal. [Lines] prints a
// state from time to time, for logs of batch systems. A [Plan] makes one progress of several parts, done one after the
// other. A [Reporter] chooses among these displays for a command.
package progress
