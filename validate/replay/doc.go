// Package replay runs the jobs of a log under policies on a simulated machine.
//
//	Log, Policies, Assumptions → Setting (policy × load × cost × share) → machine → [validate.RunJobs] → Run
//
// A [Log] gives the jobs. [Assumptions] are what no log tells of them: their speedup, what a resize costs, who stands still
// for it; [Usual] returns those that hold where nobody says otherwise. A [Setting] is one policy with its assumptions: it
// knows which jobs the policy may resize, what is assumed of each job, and how the machine is divided. A [Study] runs all
// combinations of policies, loads, costs and shares of malleable jobs. EASY backfilling runs on the same jobs at each load,
// whether it is asked for or not: each [Run] tells the ratio to it, with an interval.
package replay
