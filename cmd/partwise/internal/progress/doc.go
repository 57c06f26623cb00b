// Package progress shows how far work has come, and how much time is left of it.
//
// Work tells each [State] to a [Display]. A [Bar] draws the last state as one line of a terminal; [Lines] prints a state
// from time to time, for logs of batch systems. A [Plan] makes one progress of several things done one after the other.
package progress
