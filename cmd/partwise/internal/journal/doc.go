// Package journal keeps the results of many points while they are computed. So a run may end at any moment and be continued
// later, on one machine or on several.
//
// A [Plan] names the points and all that their results depend on. A [Journal] is a file with a line for the plan and a line for
// the [Record] of each point that is done. A line is written as soon as the record is known, and synced twice a second. A
// killed process leaves at most one torn line, the last. A [Shard] is the share of the points that one of several processes
// works on, in a journal of its own. [Merge] puts the records of the shards together.
//
// The package does not know what a point is: values are JSON texts.
package journal
