package kubernetes

import "strings"

// State is how far an execution came.
type State string

// The states of executions.
const (
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	Running   State = "running"
	Resized   State = "resized" // another slice of the workload goes on with its work
	Pending   State = "pending"
)

// Execution is an execution of a job. Its times are texts as Kubernetes writes them, and "" if they are unknown.
type Execution struct {
	Queue  string
	Limit  string // the longest run that is allowed, in seconds
	Start  string
	End    string
	State  State
	Reason string // for State, as the object gives it; may be ""
	Pods   int
	// CPUs and GPUs are the sums over all pods, rounded up.
	CPUs, GPUs int
}

// Execution returns the execution that a workload of Kueue or a job describes. The object must be a workload or a job.
func (o *Object) Execution() Execution {
	e, size := Execution{}, podSize{}
	if o.IsWorkload() {
		e, size = o.workload(), o.sizeOfWorkload()
	} else {
		e, size = o.job(), o.sizeOfJob()
	}
	e.Pods, e.CPUs, e.GPUs = max(0, size.pods), whole(size.held.cpus), whole(size.held.gpus)
	return e
}

// workload returns the execution of a workload of Kueue, without its size. A workload waits from its creation until it is
// admitted, and runs until it is finished.
func (o *Object) workload() Execution {
	e := Execution{Queue: o.Spec.QueueName, Limit: string(o.Spec.Limit)}
	if a := o.Status.Admission; a != nil && a.ClusterQueue != "" {
		e.Queue = a.ClusterQueue
	}
	isAdmitted := o.holds("Admitted")
	if isAdmitted {
		e.Start = o.condition("Admitted").Changed
	}
	finished := o.condition("Finished")
	switch {
	case finished != nil && finished.Status == "True" && finished.Reason == sliceReplaced:
		e.End, e.State = finished.Changed, Resized
	case finished != nil && finished.Status == "True":
		e.End, e.State, e.Reason = finished.Changed, endOfWorkload(finished), finished.Reason
	case isAdmitted:
		e.State = Running
	case o.Spec.Active != nil && !*o.Spec.Active:
		e.State, e.Reason = Cancelled, "Deactivated"
	default:
		e.State = Pending
	}
	return e
}

// endOfWorkload returns how a workload ended. Older versions of Kueue tell a failure by the message alone.
func endOfWorkload(finished *condition) State {
	switch message := strings.ToLower(finished.Message); {
	case strings.Contains(finished.Reason, "Fail"), strings.Contains(message, "failed"):
		return Failed
	case finished.Reason == "Succeeded", strings.HasSuffix(finished.Reason, "Finished"), strings.Contains(message, "success"):
		return Completed
	}
	return Cancelled
}

// job returns the execution of a job, without its size. A job waits from its creation until the controller starts it.
func (o *Object) job() Execution {
	e := Execution{Queue: o.Metadata.Labels["kueue.x-k8s.io/queue-name"], Limit: string(o.Spec.Deadline), Start: o.Status.StartTime}
	complete, failure := o.condition("Complete"), o.condition("Failed")
	switch {
	case failure != nil && failure.Status == "True":
		e.End, e.State, e.Reason = failure.Changed, Failed, failure.Reason
	case complete != nil && complete.Status == "True":
		e.End, e.State, e.Reason = complete.Changed, Completed, "Complete"
		if o.Status.CompletionTime != "" {
			e.End = o.Status.CompletionTime
		}
	case o.Status.StartTime != "" && !o.holds("Suspended"):
		e.State = Running
	default:
		e.Start, e.State = "", Pending
	}
	return e
}
