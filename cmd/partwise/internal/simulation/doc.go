// Package simulation is the command overheads: what repartitions cost, from what the steps of a protocol cost.
package simulation
