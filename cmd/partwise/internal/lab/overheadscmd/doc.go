// Package overheadscmd is the command that adds up what repartitions cost.
//
//	flags → lab.ProtocolSteps → costs of each step of a phase → JSON, CSV, tables, the dynamic section of a model file, curves
package overheadscmd
