// Package sweep solves many points: the commands curve, sweep and merge.
//
// Flags and study files become a run: a plan of points with everything that their results depend on. Each solved point
// is a record in a journal; the records, whichever process made them, become results, which a view lays out as curves
// or as tables of all measures. A point read from its record is the one that was written, to the last bit, so that a
// result does not depend on what was interrupted, resumed or divided into shards.
package sweep
