// Package labcmd holds the commands of partwise lab that repeat experiments of papers.
// Each command lays out what package lab computes, in a file of its name, with its text beside it:
//
//	allocate    figures of a report or flags → lab.DaysStudy → simulated days → a row for each policy and load, a picture
//	compare     log or model, flags → lab.FamilyJobs → lab.RunFamilies → outcomes, a picture
//	coschedule  flags, figures of a paper → lab.Coschedule → outcomes, bars and curves
//	epochs      --min-nodes → sched.EpochProblem → a schedule of each policy, the divided rectangles
//	epochs      --experiment → lab.EpochPoint, policies → results, curves
//	gang        model files, flags → models.TimeSharedMachine → measures of each class
//	overheads   flags → lab.ProtocolMachine → costs of each step of a phase, the dynamic section of a model file, curves
package labcmd
