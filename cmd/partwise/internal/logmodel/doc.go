// Package logmodel fits a model of jobs to a log, from which other logs like it can be drawn, and says how well they
// reproduce what a machine does with the log itself.
//
// The jobs are divided into classes by their work ([Structure]). Those of a class come in a Markovian arrival process that
// is multiplied by a cycle of hours of the day and days of the week ([Cycle]), and have independent phase-type works. A
// level ([Slow]), which varies over weeks and is common to all classes, is there if the work of a log varies
// significantly more from week to week than such classes can explain. So bursts of small jobs, which make up most of the
// dispersion of counts in a log, bring little work with them, as they do in logs: a model of the times between arrivals
// with independent works gets both wrong.
//
//	log → classes → cycle → operational time → fit.Arrivals ┐
//	              → works → fit.PhaseType                   ├→ Model → Draw → jobs, as long as the log
//	              → work by week → Slow                     ┘
//
// References: K. S. Meier-Hellstern, W. Fischer, The Markov-modulated Poisson process (MMPP) cookbook, Performance
// Evaluation 18 (1993) 149–171; D. G. Feitelson, Workload Modeling for Computer Systems Performance Evaluation, Cambridge
// University Press (2015), chapters 6 and 8.
package logmodel
