// Package study goes from the jobs of a log to an answer: would resizing running jobs pay on this machine?
//
//	jobs ─► replay.Log ─► replays: EASY and malleable jobs, break-evens, other assumptions ─► Gains, Breakevens, Variations
//	                 ├──► replays: policies for rigid and for malleable jobs               ─► Rivals
//	                 ├──► advise: the best rule for resizing                               ─► Advice
//	                 └──► Draft (fitted distributions) ─► chain ─► why chain and log differ ─► Chain
//
// The log decides. The chain explains: it is the machine of the log if jobs were independent. [Of] returns an [Answer], a tree of
// values: measures with their intervals, and errors as reasons for what is missing. An Answer has no sentences, and Of neither reads
// nor writes files: programs lay the answer out, and write the [Draft] as a model file if they want one.
package study
