// Package simulatecmd is the command simulate: it runs the machine of a model job by job.
//
// The model and the flags become the options of package validate, the policies are simulated one after the other, and
// their estimates are the result. The trace and the Gantt chart are made of the first replication, which is run again.
package simulatecmd
