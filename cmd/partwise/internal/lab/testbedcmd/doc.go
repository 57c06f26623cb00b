// Package testbedcmd is the command about real processes: what a resize costs on them, and whether a prediction comes true.
//
//	flags → validate/testbed, cmd/partwise/internal/lab/testbedcmd → costs, comparisons → output
package testbedcmd
