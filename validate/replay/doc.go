// Package replay runs the jobs of a log under policies on a simulated machine.
//
//	Log, Policies, Assumptions → Setting (policy × load × cost × share) → machine → [validate.RunJobs] → Run
//
// A [Log] gives the jobs. [Assumptions] are what no log records of them: their speedup, what a resize costs, and which
// jobs stand still for it. [Usual] returns the default assumptions. A [Setting] is one policy with its assumptions: it
// knows which jobs the policy may resize, what is assumed of each job, and how the machine is divided. A [Study] runs
// all combinations of policies, loads, costs and shares of malleable jobs. EASY backfilling runs on the same jobs at
// each load, whether it is asked for or not: each [Run] has the ratio to it, with an interval.
//
// Words of this package:
//
//   - Times are in seconds, as in logs; node-time is in node-seconds.
//   - The share is the fraction of the jobs, from 0 to 1, that are malleable; the other jobs are rigid.
//   - The cost is the time that a resize takes.
//   - The load is the work that jobs offer over the capacity of the machine; 0 as a setting means the load of the log.
//     A log is brought to another load by stretching the times between submissions.
//   - The ratio of a run is the mean response time of EASY divided by the run's, for the same jobs: above 1 the run is
//     better. EASY is the baseline.
//   - Jobs are offered when they are submitted to the simulated machine. A job that was held back by its user comes when it
//     became eligible.
//   - Jobs are apart if their times cannot be right; they are left out, and replayed separately.
//   - A pool is a partition with nodes and a queue of its own. A part of a log is a pool, or the whole machine.
//   - A replication is one replay of a run with other random estimates.
package replay
