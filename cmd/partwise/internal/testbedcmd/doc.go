// Package testbedcmd is the command about real processes: what a resize costs on them, and whether a prediction comes true.
//
//	flags → lab.TestbedStudy → measurements, predictions, comparisons → JSON, CSV, tables, a section of a model file, a picture
package testbedcmd
