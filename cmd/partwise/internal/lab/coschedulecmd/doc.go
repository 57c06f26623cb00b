// Package coschedulecmd holds the commands about nodes that jobs share in time: coschedule, which simulates a cluster, and gang,
// which solves the analytic model of gang scheduling.
//
//	flags, figures of the paper → lab.Coschedule → outcomes → JSON, CSV, tables, bars and curves
//	model files, flags → models.TimeSharedMachine → measures of each class → output
package coschedulecmd
