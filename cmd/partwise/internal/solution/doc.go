// Package solution turns solved policies into rows of results and sentences, for all commands that solve models: columns
// of measures, diagnostics, bootstrap intervals, the loads at which dynamic partitioning pays, missed requirements.
package solution
