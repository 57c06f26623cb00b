// Package kubernetes reads the objects in which Kubernetes keeps jobs, as kubectl writes them in JSON. [Object.Execution] returns
// the execution of a job that an object describes, with its times, its state and its size.
package kubernetes

import (
	"cmp"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Object is a workload of Kueue or a job, as kubectl writes it.
//
// References: Kueue, API reference, kueue.x-k8s.io/v1beta1 and v1beta2; Kubernetes API reference, Job v1 batch.
type Object struct {
	APIVersion string
	Kind       string
	Metadata   struct {
		Name, Namespace, UID string
		Created              string `json:"creationTimestamp"`
		Labels, Annotations  map[string]string
		Owners               []struct{ UID string } `json:"ownerReferences"`
	}
	Spec struct {
		// Of workloads.
		QueueName string
		PodSets   []podSet
		Limit     logtext.JSONText `json:"maximumExecutionTimeSeconds"`
		Active    *bool
		// Of jobs.
		Parallelism, Completions *int
		Deadline                 logtext.JSONText `json:"activeDeadlineSeconds"`
		Template                 podTemplate
	}
	Status struct {
		Conditions []condition
		// Of workloads.
		Admission *struct {
			ClusterQueue string
			Assignments  []podSetAssignment `json:"podSetAssignments"`
		}
		Past        logtext.JSONText `json:"accumulatedPastExecutionTimeSeconds"`
		PastV1beta1 logtext.JSONText `json:"accumulatedPastExexcutionTimeSeconds"` // spelled so
		// Of jobs.
		StartTime, CompletionTime string
	}
}

// podSet is pods of one kind of a workload, as it asks for them.
type podSet struct {
	Count    int
	Template podTemplate
}

// podSetAssignment is the pods of one kind that a workload was given, with what all of them hold together.
type podSetAssignment struct {
	Count *int
	Usage map[string]logtext.JSONText `json:"resourceUsage"`
}

// podTemplate is what a pod and its containers ask for.
type podTemplate struct {
	Spec struct {
		InitContainers, Containers []container
		Resources                  *resources // of the whole pod; they count instead of the requests of its containers
		Overhead                   map[string]logtext.JSONText
	}
}

// container is a container of a pod. An init container ends before the other containers start, unless it is always restarted.
type container struct {
	RestartPolicy string
	Resources     resources
}

// resources are the quantities that a container or a pod asks for, and its limits, by the names of resources.
type resources struct{ Requests, Limits map[string]logtext.JSONText }

// condition is a condition of an object, with the time at which its status changed last.
type condition struct {
	Type, Status, Reason, Message string
	Changed                       string `json:"lastTransitionTime"`
}

// condition returns the condition of a type, or nil if the object has no condition of this type.
func (o *Object) condition(name string) *condition {
	for i := range o.Status.Conditions {
		if c := &o.Status.Conditions[i]; c.Type == name {
			return c
		}
	}
	return nil
}

// holds reports whether the object has a condition of a type that is true.
func (o *Object) holds(name string) bool {
	c := o.condition(name)
	return c != nil && c.Status == "True"
}

// PastSeconds returns the time that a workload was admitted before it was evicted, in seconds, as text. It is empty for a workload
// that was never evicted. Of the fields that are read, this is the only one whose name differs between versions of Kueue.
func (o *Object) PastSeconds() string {
	return string(cmp.Or(o.Status.Past, o.Status.PastV1beta1))
}

// IsWorkload reports whether the object is a workload of Kueue. Lists of a kind do not repeat the kind of their objects.
func (o *Object) IsWorkload() bool {
	return o.Kind == "Workload" || o.Kind == "" && o.Spec.PodSets != nil
}

// IsJob reports whether the object is a job. Other systems, such as Volcano, also have objects of the kind Job.
func (o *Object) IsJob() bool {
	if o.Kind == "" {
		return o.Spec.PodSets == nil && o.Spec.Template.Spec.Containers != nil
	}
	return o.Kind == "Job" && (o.APIVersion == "" || strings.HasPrefix(o.APIVersion, "batch/"))
}

// ReplacementFor is the annotation by which a slice of an elastic workload names the slice that it replaces. sliceReplaced is the
// reason for which the replaced slice is finished. A workload that grows gets a new object, a slice; a workload that shrinks
// keeps its object.
//
// Reference: Kueue, KEP 77, dynamically sized jobs.
const (
	ReplacementFor = "kueue.x-k8s.io/workload-slice-replacement-for"
	sliceReplaced  = "WorkloadSliceReplaced"
)

// IsSlice reports whether a workload is one of several slices of an elastic workload.
func (o *Object) IsSlice() bool {
	finished := o.condition("Finished")
	return o.Metadata.Annotations[ReplacementFor] != "" || finished != nil && finished.Reason == sliceReplaced
}
