// Package journal keeps what is known of many points while they are worked on, so that a run may end at any moment and
// go on later, on one machine or on many.
//
// A [Plan] says what the points are and all that their results depend on. A [Journal] holds the plan and a [Record] for
// each point that is done, a line each, written as soon as it is there and synced twice a second; what a killed process
// leaves behind is complete but for a last line that may be torn. A [Shard] is the share of the points that one of
// several processes works on, in a journal of its own, and [Merge] puts their records together.
//
// The package knows nothing of what a point is: values are JSON texts.
package journal
