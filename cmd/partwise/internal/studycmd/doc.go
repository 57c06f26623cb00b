// Package studycmd is the command that goes from a log to a decision: study.
//
//	log → jobs → model file → chain → simulation, replays, bootstrap → page
//
// It calls what log, solve, report, validate, replay and solve --bootstrap call, one after the other.
package studycmd
