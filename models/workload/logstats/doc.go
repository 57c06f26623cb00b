// Package logstats describes a job log: moments and dispersion of its arrivals, run times and sizes, its days and
// weeks, and the dependence between jobs. It also tells which assumptions of the chains of package models the log
// violates.
//
//	jobs, in order of submission → [Of] → Statistics: calendar, dependence, sizes → assumptions
package logstats
