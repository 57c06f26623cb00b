// Package elastisim writes jobs as the files that the simulator ElastiSim reads, to compare the two simulated machines.
//
// The comparison of docs/replay.md was made with ElastiSim of commit a0cb9f0, without its parts for GPUs, file systems and sensing, on
// SimGrid 3.32 of Debian 12 (libsimgrid-dev, cppzmq-dev, nlohmann-json3-dev) and ExprTk of 2024.
package elastisim
