// Package elastisim writes jobs as the files that the simulator ElastiSim reads, to compare the two simulated machines.
package elastisim
