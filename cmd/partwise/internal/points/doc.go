// Package points solves the points of studies: every series at every load, in a journal that outlives an interruption.
//
// Flags and study files become a [Run]: a plan of points with everything that their results depend on. Each solved point
// is a record in a journal. The records become the points of a [Study], whichever process solved them, and a [View] lays
// the points out. A point that is read from its record equals the point that was written to the last bit: a result does
// not depend on what was interrupted, resumed or divided into shards.
package points
