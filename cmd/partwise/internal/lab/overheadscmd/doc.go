// Package overheadscmd is the command that adds up what repartitions cost.
//
//	flags → cmd/partwise/internal/lab/overheadscmd → costs of each step of a phase → output, the dynamic section of a model, curves
package overheadscmd
