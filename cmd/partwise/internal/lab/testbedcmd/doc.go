// Package testbedcmd is the command about real processes: what a resize costs on them, and whether a prediction comes true.
//
//	flags → cmd/partwise/internal/lab/testbed, cmd/partwise/internal/lab/testbedcmd → costs, comparisons → output
//
// # Predictions
//
// A [Study] predicts what a machine of processes will do, and then runs it.
//
// What repartitions cost and how long jobs run alone is measured on the machine; a model is made of that, its chains are
// solved and whole nodes are simulated; then the machine runs the same jobs:
//
//	testbed.Machine → Measure → Measured → Study.System → Predict → []Prediction → Run → []Comparison
//
// Predictions are made before the machine runs. The simulation gets the jobs that the machine gets, one by one, so that the
// difference between the two has no part that is due to which jobs came; the chains tell what happens in the long run.
package testbedcmd
