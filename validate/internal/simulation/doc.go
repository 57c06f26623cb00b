// Package simulation holds what the simulators of whole nodes and of chains have in common:
//
//   - the interfaces of a run ([Simulator], [Run]), and what follows a run and ends it early ([Observer]),
//   - sums of what happened ([Tally]), of which measures are quotients,
//   - the purposes of the streams of random numbers of a run,
//   - classes of jobs ([Class]).
package simulation
