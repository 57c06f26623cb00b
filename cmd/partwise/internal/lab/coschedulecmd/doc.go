// Package coschedulecmd shares the nodes of a cluster in time: the command coschedule.
//
//	flags, a log, a model's arrivals → Case, policies → outcomes → JSON, CSV, tables, bars and curves
package coschedulecmd
