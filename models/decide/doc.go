// Package decide answers questions about a system: which policy is fastest and by how much, where that changes, which
// static split is best, what the parameters do, and whether goals are met. Answers are data first and sentences second.
//
//	models.System, policies → Solve → Decision ──► Compare → Comparison → sentences
//	          + Axis → Breakeven.Solve → Answer (crossings, intervals, best splits)
//	          + loads → Sweep.Solve → Points
//
// Crossings are found on the solved curves themselves and never interpolated between plotted points. Nothing here knows
// how a policy is solved; a new axis is one function that returns an [Axis].
//
// # Measurements that could have been others
//
// [Bootstrap] says how sure what a chain says is, where it rests on measurements: the measurements are drawn again
// and again, the model is fitted and solved each time, and the results scatter as they would if other jobs of the same
// kind had been measured.
//
//	measurements → draw again → models.System → decide.Solve → measures ─┐
//	measurements → models.System → decide.Solve → measures ──────────────┴→ Interval, probability that dynamic wins
//
// Reference: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993), chapters 13 and 14.
package decide
