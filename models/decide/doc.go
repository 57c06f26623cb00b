// Package decide answers questions about a system: which policy is fastest and by how much, where that changes, which
// static split is best, what the parameters do, and whether goals are met. Answers are data first and sentences second.
//
//	models.System, policies → Solve → Decision ──► Compare → Comparison → sentences
//	          + Axis → Breakeven.Solve → Answer (crossings, intervals, best splits)
//	          + loads → Sweep.Solve → Points
//	models.System → Optimal → Optimum (the best policy) ──► Gaps of policies
//
// Crossings are found by solving the system at each iterate of a root finder. Crossings are never interpolated between
// plotted points. The package does not know how a policy is solved. A new axis is one function that returns an [Axis].
//
// # Uncertainty of measurements
//
// [Bootstrap] estimates how much the results of a model vary if the model is fitted to a limited number of
// measurements. The measurements are drawn again many times with replacement. Each time, the model is fitted and
// solved. The results vary as they would if other jobs of the same kind had been measured.
//
//	measurements → draw again → models.System → decide.Solve → measures ─┐
//	measurements → models.System → decide.Solve → measures ──────────────┴→ Interval, probability that dynamic wins
//
// Reference: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall (1993), chapters 13 and 14.
package decide
