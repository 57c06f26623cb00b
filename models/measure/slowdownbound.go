package measure

// SlowdownBound is the run time, in seconds, that shorter ones count as in a bounded slowdown.
//
// Reference: D. G. Feitelson, L. Rudolph, Metrics and benchmarking for parallel job scheduling, Job Scheduling
// Strategies for Parallel Processing, LNCS 1459 (1998) 1–24.
const SlowdownBound = 10
