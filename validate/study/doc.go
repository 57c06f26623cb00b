// Package study goes from the jobs of a log to an answer: would resizing running jobs pay on this machine?
//
//	jobs ─► replay.Log ─► replays: EASY and malleable jobs, break-evens, other assumptions ─► Gains, Breakevens, Variations
//	                 ├──► replays: policies for rigid and for malleable jobs               ─► Rivals
//	                 ├──► advise: the best rule for resizing                               ─► Advice
//	                 └──► Draft (fitted distributions) ─► chain ─► why chain and log differ ─► Chain
//
// The log decides. The chain explains: it is the machine of the log if jobs were independent. [Of] returns an [Answer],
// a tree of values: measures with their intervals, and errors as reasons for what is missing. An Answer has no
// sentences, and Of neither reads nor writes files: programs lay the answer out, and write the [Draft] as a model file
// if they want one.
//
// Words of this package:
//
//   - Times are in seconds. The share is the fraction of the jobs, from 0 to 1, that are malleable.
//   - A part of a study is one of its steps, see [Part]. Methods of work set the parts of the answer, in the order of Parts.
//   - A part is missing if it could not be made; the error says why, and the other parts do without it. An error that is
//     returned ends the study.
//   - The one machine is the machine of the log or, where each partition is a machine of its own, the machine of one partition. Rules,
//     static splits and chains are about it.
//   - A candidate is a possible machine of the log: sizes count nodes or CPUs, and jobs share one machine or have partitions.
//   - Rivals are other policies than malleable jobs under EASY: first come first served, EASY, dynamic and static partitioning.
//   - A draft is a model of the jobs, fitted to the log. A class of a draft is the jobs that asked for similar numbers of nodes.
package study
