// Package sweep solves the points of studies: every series at every load, by one process or by several, in a journal that
// outlives an interruption.
//
//	modelfile.Study → [New] → [Study] → [Points] → [Points.Solve] → decide.Point
//	                                                     ↕
//	                                                 [Journal]
//
// A [Study] lays out the points of a study file. [Points] numbers the points of several studies, and solves the points that are
// not known yet. Each solved point becomes a [Record] in a [Journal]. A point that is read from its record equals the point that
// was written to the last bit: a result does not depend on what was interrupted, resumed or divided into shards.
//
// A [Plan] names the points and all that their results depend on. A journal is a file with a line for the plan and a line for the
// record of each point that is done. A line is written as soon as the record is known, and synced twice a second. A killed process
// leaves at most one torn line, the last. A [Shard] is the share of the points that one of several processes works on, in a journal
// of its own. [Merge] puts the records of the shards together.
package sweep
