// Package fitcmd makes distributions and arrival processes of measured times: the commands fit and ph show.
//
// A table, JSON lines or a job log become a [fit.Sample]. The sample and the options become candidates, the best first.
// The best candidate is written to a file to which models can refer. All candidates are shown beside the data.
package fitcmd
