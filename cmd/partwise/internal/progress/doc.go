// Package progress shows how far work has come, and how much time is left of it.
//
// A [Display] is told of each [State] by whoever does the work: those of a [Bar] draw the last one as one line of a
// terminal, those of [Lines] print one from time to time, for logs of batch systems. A [Plan] makes one progress of several things done one after
// the other.
package progress
