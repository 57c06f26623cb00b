// Package replayview lays out replays of a log for people and programs: the runs of a replay, and what a study says of the gain by
// malleable jobs, of break-evens and of other assumptions.
//
//	[]*replay.Run, study.Gains, []replay.Breakeven, []replay.Variation → rows, sentences, figures
package replayview
