// Package gangcmd is the command that solves the analytic model of gang scheduling.
//
//	model files, flags → timesharing.Machine → measures of each class → output
package gangcmd
