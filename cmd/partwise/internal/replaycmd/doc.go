// Package replaycmd runs the jobs of a log under policies: the command replay.
//
//	log, flags → settings (policy × load × cost × share) → machine → metric.Log → table, CSV, JSON, figure
//
// EASY runs on the same jobs at each load, whether it was asked for or not: results are told as ratios to it.
package replaycmd
