// Package fitcmd makes distributions and arrival processes of measured times: the commands fit and ph show.
//
// A table, JSON lines or a job log become a [fit.Sample], the sample and the options candidates, best first; the best
// is written as a file that models refer to, all are laid out beside the data.
package fitcmd
