// Package logmodel says why the chain of a model and a log differ: it replays the log again and again, each time with one of
// the assumptions of the chain made true.
//
// A [Case] is a system and the jobs of a log; the table has an entry for each assumption, which makes of them jobs for
// which the assumption holds. [Explain] replays them under the same policies, on the same machine of whole nodes, and
// compares decisions and mean response times.
//
//	system, log → assumption → jobs → validate.Simulate → mean response times → effect of the assumption
//	            → markov chain ──────────────────────────────────────────────→ Report
package logmodel
