// Package testbedcmd is the command about real processes: what a resize costs on them, and whether a prediction comes true.
//
//	flags → cmd/partwise/internal/lab/testbed, cmd/partwise/internal/lab/testbedcmd → costs, comparisons → output
//
// # Predictions
//
// A [Study] predicts what a machine of processes will do, and then runs it.
//
// The costs of repartitions and the run times of jobs alone are measured on the machine, and become a model. The chains
// of the model are solved, and whole nodes are simulated. Then the machine runs the same jobs:
//
//	testbed.Machine → Measure → Measured → Study.System → Predict → []Prediction → Run → []Comparison
//
// Predictions are made before the machine runs. The simulation gets the same jobs as the machine, one by one, so that
// no part of the difference is due to the choice of jobs. The chains tell what happens in the long run.
package testbedcmd
