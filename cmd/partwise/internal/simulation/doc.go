// Package simulation runs machines job by job: the commands simulate and validate.
//
// A model and flags become the options of a simulation, its policies are simulated one after the other, and the
// estimates are laid out or, by validate, compared with the solved model. Traces, Gantt charts and pictures are made of
// the same runs.
package simulation
