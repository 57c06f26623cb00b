package policy

import "github.com/partwise/partwise/models/workload"

// Entry is a line of the table of policies. Name, RunsOn and New are necessary. Parameter, Optional and Means are for a policy
// with a parameter, Jobs and Mixed for a policy that does not run rigid jobs. The other fields are documentation.
type Entry struct {
	Name      string        // what [Policy.Name] returns
	Alias     string        // another name that is read; may be empty
	Parameter string        // what stands behind the colon, "K" or "MEAN[,SCV]"; empty if nothing does
	Optional  bool          // the parameter may be left out
	Means     string        // what the parameter is, for messages: "a number of partitions"
	Example   string        // the policy as flags write it
	RunsOn    Runner        // what can run it: [WholeNodes] if it has a scheduler of its own
	Jobs      workload.Kind // of the jobs that it gets, rigid unless set: a policy that resizes needs [workload.Malleable]
	Mixed     bool          // it resizes malleable jobs within their bounds, and runs rigid jobs beside them
	Summary   string        // one line of documentation
	Source    string        // who described the policy; empty if nobody else did
	// New returns the policy of a parameter, which is "" if the text has no parameter. The table has checked that the text has a
	// parameter if, and only if, the policy takes one. An error comes out of [Table.Parse] as a *[ParameterError].
	New func(parameter string) (Policy, error)
}

// Syntax returns the name with its parameter: "static:K", "conservative[:WHEN]".
func (e *Entry) Syntax() string {
	switch {
	case e.Parameter == "":
		return e.Name
	case e.Optional:
		return e.Name + "[:" + e.Parameter + "]"
	}
	return e.Name + ":" + e.Parameter
}

// check returns a RunnerError if none of the runners can run the policy.
func (e *Entry) check(text string, on Runner) error {
	if e.RunsOn&on != 0 {
		return nil
	}
	reason := "has no exact chain"
	switch {
	case on == TimeShared:
		reason = "does not share the nodes of a cluster in time"
	case e.RunsOn == TimeShared:
		reason = "shares the nodes of a cluster in time, which is simulated by itself"
	case e.RunsOn&WholeNodes == 0:
		reason = "does not run on the simulated machine"
	}
	return &RunnerError{text, e.RunsOn, reason}
}
