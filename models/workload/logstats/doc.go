// Package logstats describes a job log: moments and dispersion of its arrivals, run times and sizes, its days and weeks, what
// depends on what, and the assumptions of the chains of package models that the log does not keep.
//
//	jobs, in order of submission → [Of] → Statistics: calendar, dependence, sizes → assumptions
package logstats
