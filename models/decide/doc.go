// Package decide answers questions about a system: which policy is fastest and by how much, where that changes, which
// static split is best, what the parameters do, and whether goals are met. Answers are data first and sentences second.
//
//	models.System, policies → Solve → Decision ──► Compare → Comparison → sentences
//	          + Axis → Breakeven.Solve → Answer (crossings, intervals, best splits)
//	          + loads → Sweep.Solve → Points
//
// Crossings are found on the solved curves themselves and never interpolated between plotted points. Nothing here knows
// how a policy is solved; a new axis is one function that returns an [Axis].
package decide
