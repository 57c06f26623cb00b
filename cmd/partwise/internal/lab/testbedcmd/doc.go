// Package testbedcmd is the command about real processes: what a resize costs on them, and whether a prediction comes true.
//
//	flags → validate/testbed, validate/experiment/prediction → costs, comparisons → output
package testbedcmd
