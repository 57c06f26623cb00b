package joblog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/kubernetes"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/packed"
	"github.com/partwise/partwise/models/workload/internal/slurm"
)

// kubernetesFormat is the format of what Kubernetes keeps of jobs: workloads of Kueue and jobs.
var kubernetesFormat = format{
	name:    "kubernetes",
	summary: "Kubernetes: `kubectl get workloads -o json` of Kueue, `kubectl get jobs -o json`",
	sizes:   [...]string{"pods", "cpu", "…gpu…"},
	recognise: func(b *filekind.Beginning) bool {
		return b.IsJSON() && (b.Has("podSets") || b.Has("apiVersion") &&
			b.QuotesAny("batch/v1", "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"))
	},
	read: stored(kubernetesKeys, (*store).readKubernetes),
}

// kubernetesKeys is the layout of what Kubernetes writes. The readers of objects choose the fields.
var kubernetesKeys = &layout{state: kubernetesState, seconds: true, roles: map[string]role{
	"metadata.creationTimestamp": submitTime, "conditions": stateName, "status.startTime": startTime, "status.completionTime": endTime,
	"namespace": account, "queueName": queue, "count": allocNodes, "requests": allocTRES, "maximumExecutionTimeSeconds": timeLimit,
}}

// kubernetesState reads how far an object came: a word for the state, and the reason that its condition gives.
func kubernetesState(text []byte) (s executions.State, label string, ok bool) {
	word, reason, _ := strings.Cut(string(text), " ")
	s, ok = kubernetesStates[kubernetes.State(word)]
	return s, reason, ok
}

var kubernetesStates = map[kubernetes.State]executions.State{
	kubernetes.Completed: executions.Completed, kubernetes.Failed: executions.Failed, kubernetes.Cancelled: executions.Cancelled,
	kubernetes.Running: executions.Running, kubernetes.Resized: executions.Resizing, kubernetes.Pending: executions.Pending,
}

// The words of findings in records of Kubernetes.
const (
	pastExecutions = "earlier executions of workloads that were evicted, of which only the length is told"
	ownedJobs      = "jobs whose workload is listed, too: the workload counts"
	otherKinds     = "objects that are neither workloads of Kueue nor jobs"
)

// kubernetesReader reads objects. A job whose workload is listed, too, counts once: jobs are taken when all objects have been read.
type kubernetesReader struct {
	*store
	ids    packed.Names // of objects, by their identity
	owned  map[string]bool
	jobs   []kubernetesJob
	slices map[string]*workloadSlice // by namespace and name
}

// kubernetesJob is a job that has been read.
type kubernetesJob struct {
	uid    string
	fields fields
	entry  entry
}

// readKubernetes reads a list of objects, or objects one after the other.
func (s *store) readKubernetes(in *logtext.File) error {
	s.partitions = true
	r := kubernetesReader{store: s, owned: map[string]bool{}, slices: map[string]*workloadSlice{}}
	if err := s.eachOf(in, "items", r.takeObject); err != nil {
		return err
	}
	r.takeSlices()
	for i := range r.jobs {
		j := &r.jobs[i]
		if r.owned[j.uid] {
			s.note(ownedJobs, j.entry.line)
			continue
		}
		s.take(&j.fields, &j.entry)
	}
	return nil
}

// takeObject takes an object in, or returns what is wrong with it.
func (r *kubernetesReader) takeObject(text json.RawMessage, line int) (problem string) {
	var o kubernetes.Object
	if err := json.Unmarshal(text, &o); err != nil {
		return "what is not an object of Kubernetes"
	}
	uid := o.Metadata.UID
	if uid == "" {
		uid = o.Kind + " " + o.Metadata.Namespace + "/" + o.Metadata.Name
	}
	e := entry{Key: executions.Key{ID: r.ids.Number([]byte(uid))}, line: line}
	f := fields{submitTime: []byte(o.Metadata.Created), account: []byte(o.Metadata.Namespace)}
	execution := o.Execution()
	f.setExecution(&execution)
	switch {
	case o.IsWorkload():
		for _, owner := range o.Metadata.Owners {
			r.owned[owner.UID] = true
		}
		r.takePast(&o, &f, e)
		if o.IsSlice() {
			r.slices[o.Metadata.Namespace+"/"+o.Metadata.Name] = &workloadSlice{o.Metadata.Annotations[kubernetes.ReplacementFor], f, e}
			return ""
		}
		r.take(&f, &e)
	case o.IsJob():
		r.jobs = append(r.jobs, kubernetesJob{o.Metadata.UID, f, e})
	case strings.HasSuffix(o.Kind, "List"):
		return "a list without items"
	default:
		r.note(otherKinds, line)
	}
	return ""
}

// workloadSlice is a workload that was replaced while it ran, or that replaces another one.
type workloadSlice struct {
	replaces string // namespace and name of the slice before; "" of the first slice
	fields   fields
	entry    entry
}

// takeSlices takes in the slices of elastic workloads. The slices of one workload become the pieces of a job that was resized. A
// slice ends at the latest when the slice that replaces it is admitted.
func (r *kubernetesReader) takeSlices() {
	names := slices.Sorted(maps.Keys(r.slices))
	for _, name := range names {
		slice := r.slices[name]
		before, known := r.slices[slice.replaces]
		start, _, hasStart := logtext.ParseStamp(slice.fields[startTime])
		if !known || !hasStart {
			continue
		}
		if end, _, hasEnd := logtext.ParseStamp(before.fields[endTime]); hasEnd && end.After(start) {
			before.fields[endTime] = slice.fields[startTime]
		}
	}
	for _, name := range names {
		slice := r.slices[name]
		slice.entry.Key = executions.Key{ID: r.ids.Number([]byte("slices of " + r.firstSlice(name)))}
		r.take(&slice.fields, &slice.entry)
	}
}

// firstSlice returns the name of the first slice of a workload from the name of one of its slices. If each slice of a damaged log
// replaces another one, the result is the name of any of them.
func (r *kubernetesReader) firstSlice(name string) string {
	for range r.slices {
		before := r.slices[name].replaces
		if r.slices[before] == nil {
			break
		}
		name = before
	}
	return name
}

// takePast counts the executions of a workload before it was evicted as lost, with the pod-seconds that they held. The size of
// the last execution stands for theirs.
func (r *kubernetesReader) takePast(o *kubernetes.Object, f *fields, e entry) {
	past, err := strconv.ParseFloat(o.PastSeconds(), 64)
	if err != nil || !(past > 0) {
		return
	}
	amounts := slurm.ParseTRES(f[allocTRES])
	count, _ := logtext.Count(f[allocNodes])
	e.elapsed, e.units = past, count
	for k, u := range units {
		if u == r.options.Unit && u != InNodes {
			e.units = amounts[k].N
		}
	}
	r.loseEntry(pastExecutions, &e, nil)
}

// setExecution sets all fields of an execution except its submission.
func (f *fields) setExecution(e *kubernetes.Execution) {
	f[queue], f[timeLimit], f[startTime], f[endTime] = []byte(e.Queue), []byte(e.Limit), []byte(e.Start), []byte(e.End)
	f[stateName] = []byte(string(e.State) + " " + e.Reason)
	f[allocNodes] = []byte(strconv.Itoa(e.Pods))
	f[allocTRES] = fmt.Appendf(nil, "cpu=%d,gres/gpu=%d", e.CPUs, e.GPUs)
}
