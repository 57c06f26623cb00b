// Package logmodel fits a model of jobs to a log, from which other logs like it can be drawn, and says how well they
// reproduce what a machine does with the log itself.
//
// The jobs are divided into classes by their work ([Structure]). Those of a class come in a Markovian arrival process that
// is multiplied by a cycle of hours of the day and days of the week ([Cycle]), and have independent phase-type works. Jobs of a
// class that are submitted within minutes can arrive as a batch. A
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
//
// # Assumptions
//
// [Explain] says why a chain and a log differ: it replays the log again and again, each time with one of the
// assumptions of the chain made true.
//
// A [Case] is a system and the jobs of a log; the table has an entry for each assumption, which makes of them jobs for
// which the assumption holds. [Explain] replays them under the same policies, on the same machine of whole nodes, and
// compares decisions and mean response times.
//
//	system, log → assumption → jobs → validate.Simulate → mean response times → effect of the assumption
//	            → markov chain ──────────────────────────────────────────────→ Report
package logmodel
