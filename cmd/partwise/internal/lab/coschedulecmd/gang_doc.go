// Package gangcmd is the command that solves the analytic model of gang scheduling.
//
//	model files, flags → models.TimeSharedMachine → measures of each class → output

package coschedulecmd
