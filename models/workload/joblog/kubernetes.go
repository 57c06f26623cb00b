package joblog

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// kubernetes is the format of what Kubernetes keeps of jobs: workloads of Kueue and jobs.
var kubernetes = format{
	name:    "kubernetes",
	summary: "Kubernetes: `kubectl get workloads -o json` of Kueue, `kubectl get jobs -o json`",
	sizes:   [...]string{"pods", "cpu", "…gpu…"},
	recognise: func(b *beginning) bool {
		return b.isJSON() && (b.has("podSets") || b.has("apiVersion") && b.quotesAny("batch/v1", "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"))
	},
	read: stored(kubernetesKeys, (*store).readKubernetes),
}

// kubernetesKeys is the layout of what Kubernetes writes. The readers of objects choose the fields.
var kubernetesKeys = &layout{state: kubernetesState, seconds: true, roles: map[string]role{
	"metadata.creationTimestamp": submitTime, "conditions": stateName, "status.startTime": startTime, "status.completionTime": endTime,
	"namespace": account, "queueName": queue, "count": allocNodes, "requests": allocTRES, "maximumExecutionTimeSeconds": timeLimit,
}}

// kubernetesState reads how far an object came: a word for the state, and the reason that its condition gives.
func kubernetesState(text []byte) (s state, label string, ok bool) {
	word, reason, _ := strings.Cut(string(text), " ")
	s, ok = map[string]state{"completed": completed, "failed": failed, "cancelled": cancelled, "running": running, "resized": resizing, "pending": pending}[word]
	return s, reason, ok
}

// kubernetesObject is a workload of Kueue or a job, as kubectl writes it.
//
// References: Kueue, API reference, kueue.x-k8s.io/v1beta2; Kubernetes API reference, Job v1 batch.
type kubernetesObject struct {
	Kind     string
	Metadata struct {
		Name, Namespace, UID string
		Created              string `json:"creationTimestamp"`
		Deleted              string `json:"deletionTimestamp"`
		Labels, Annotations  map[string]string
		Owners               []struct{ UID string } `json:"ownerReferences"`
	}
	Spec struct {
		// Of workloads.
		QueueName string
		PodSets   []podSet
		Limit     jsonText `json:"maximumExecutionTimeSeconds"`
		Active    *bool
		// Of jobs.
		Parallelism, Completions *int
		Deadline                 jsonText `json:"activeDeadlineSeconds"`
		Template                 podTemplate
	}
	Status struct {
		Conditions []condition
		// Of workloads.
		Admission *struct {
			ClusterQueue string
			Assignments  []podSetAssignment `json:"podSetAssignments"`
		}
		PastSeconds jsonText `json:"accumulatedPastExecutionTimeSeconds"`
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
	Usage map[string]jsonText `json:"resourceUsage"`
}

// podTemplate is what the containers of a pod ask for.
type podTemplate struct {
	Spec struct {
		Containers []struct {
			Resources struct{ Requests, Limits map[string]jsonText }
		}
	}
}

// condition is a condition of an object, with the time at which its status changed last.
type condition struct {
	Type, Status, Reason, Message string
	Changed                       string `json:"lastTransitionTime"`
}

// condition returns the condition of a type, nil if the object has none.
func (o *kubernetesObject) condition(name string) *condition {
	for i := range o.Status.Conditions {
		if c := &o.Status.Conditions[i]; c.Type == name {
			return c
		}
	}
	return nil
}

// holds reports whether the object has a condition of a type that is true.
func (o *kubernetesObject) holds(name string) bool {
	c := o.condition(name)
	return c != nil && c.Status == "True"
}

// isWorkload reports whether the object is a workload of Kueue. Lists of a kind do not repeat the kind of their objects.
func (o *kubernetesObject) isWorkload() bool {
	return o.Kind == "Workload" || o.Kind == "" && o.Spec.PodSets != nil
}

// isJob reports whether the object is a job.
func (o *kubernetesObject) isJob() bool {
	return o.Kind == "Job" || o.Kind == "" && o.Spec.PodSets == nil && o.Spec.Template.Spec.Containers != nil
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
	ids    numbered // of objects, by their identity
	owned  map[string]bool
	jobs   []kubernetesJob
	chains map[string]*workloadSlice // by namespace and name
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
	r := kubernetesReader{store: s, owned: map[string]bool{}, chains: map[string]*workloadSlice{}}
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
	var o kubernetesObject
	if err := json.Unmarshal(text, &o); err != nil {
		return "what is not an object of Kubernetes"
	}
	uid := o.Metadata.UID
	if uid == "" {
		uid = o.Kind + " " + o.Metadata.Namespace + "/" + o.Metadata.Name
	}
	e := entry{key: key{id: r.ids.of([]byte(uid))}, line: line}
	f := fields{submitTime: []byte(o.Metadata.Created), account: []byte(o.Metadata.Namespace)}
	switch {
	case o.isWorkload():
		for _, owner := range o.Metadata.Owners {
			r.owned[owner.UID] = true
		}
		o.workload(&f)
		r.takePast(&o, &f, e)
		if o.isSlice() {
			r.chains[o.Metadata.Namespace+"/"+o.Metadata.Name] = &workloadSlice{o.Metadata.Annotations[replacementFor], f, e}
			return ""
		}
		r.take(&f, &e)
	case o.isJob():
		o.job(&f)
		r.jobs = append(r.jobs, kubernetesJob{o.Metadata.UID, f, e})
	default:
		r.note(otherKinds, line)
	}
	return ""
}

// replacementFor is the annotation by which a slice of an elastic workload names the slice that it replaces, and sliceReplaced the reason for
// which the replaced slice is finished. A workload of more pods replaces one of fewer; a workload that gives pods up keeps its object.
//
// Reference: Kueue, KEP 77, dynamically sized jobs.
const (
	replacementFor = "kueue.x-k8s.io/workload-slice-replacement-for"
	sliceReplaced  = "WorkloadSliceReplaced"
)

// workloadSlice is a workload that was replaced while it ran, or that replaces another one.
type workloadSlice struct {
	replaces string // namespace and name of the slice before; "": the first
	fields   fields
	entry    entry
}

// isSlice reports whether a workload is one of several slices of an elastic workload.
func (o *kubernetesObject) isSlice() bool {
	finished := o.condition("Finished")
	return o.Metadata.Annotations[replacementFor] != "" || finished != nil && finished.Reason == sliceReplaced
}

// takeSlices takes in the slices of elastic workloads: those of one workload as the pieces of a job that was resized. A slice ends at the latest
// when the slice that replaces it is admitted.
func (r *kubernetesReader) takeSlices() {
	names := slices.Sorted(maps.Keys(r.chains))
	for _, name := range names {
		slice := r.chains[name]
		before, known := r.chains[slice.replaces]
		start, _, hasStart := logtext.ParseStamp(slice.fields[startTime])
		if !known || !hasStart {
			continue
		}
		if end, _, hasEnd := logtext.ParseStamp(before.fields[endTime]); hasEnd && end.After(start) {
			before.fields[endTime] = slice.fields[startTime]
		}
	}
	for _, name := range names {
		slice := r.chains[name]
		slice.entry.key = key{id: r.ids.of([]byte("slices of " + r.firstSlice(name)))}
		r.take(&slice.fields, &slice.entry)
	}
}

// firstSlice returns the name of the first slice of a workload from the name of one of its slices. A chain of names that leads back to itself has
// no first: the result is then one of them.
func (r *kubernetesReader) firstSlice(name string) string {
	for range r.chains {
		before := r.chains[name].replaces
		if r.chains[before] == nil {
			break
		}
		name = before
	}
	return name
}

// takePast counts the executions of a workload before it was evicted as lost, with the pod-seconds that they held. The size of the last
// execution stands for theirs.
func (r *kubernetesReader) takePast(o *kubernetesObject, f *fields, e entry) {
	past, err := strconv.ParseFloat(string(o.Status.PastSeconds), 64)
	if err != nil || !(past > 0) {
		return
	}
	amounts := parseTRES(f[allocTRES])
	count, _ := parseCount(f[allocNodes], InNodes)
	e.elapsed, e.units = past, count
	for k, u := range units {
		if u == r.options.Unit && u != InNodes {
			e.units = amounts[k].n
		}
	}
	r.loseEntry(pastExecutions, &e, nil)
}

// workload sets the fields of a workload of Kueue: it waits from its creation until it is admitted, and runs until it is finished.
func (o *kubernetesObject) workload(f *fields) {
	f[queue], f[timeLimit] = []byte(o.Spec.QueueName), []byte(o.Spec.Limit)
	if a := o.Status.Admission; a != nil && a.ClusterQueue != "" {
		f[queue] = []byte(a.ClusterQueue)
	}
	f.setSize(o.sizeOfWorkload())
	isAdmitted := o.holds("Admitted")
	if isAdmitted {
		f[startTime] = []byte(o.condition("Admitted").Changed)
	}
	finished := o.condition("Finished")
	switch {
	case finished != nil && finished.Status == "True" && finished.Reason == sliceReplaced:
		f[endTime], f[stateName] = []byte(finished.Changed), []byte("resized")
	case finished != nil && finished.Status == "True":
		f[endTime] = []byte(finished.Changed)
		f[stateName] = []byte(endOfWorkload(finished) + " " + finished.Reason)
	case isAdmitted:
		f[stateName] = []byte("running")
	case o.Spec.Active != nil && !*o.Spec.Active:
		f[stateName] = []byte("cancelled Deactivated")
	default:
		f[stateName] = []byte("pending")
	}
}

// endOfWorkload returns how a workload ended. Older versions of Kueue tell a failure by the message alone.
func endOfWorkload(finished *condition) string {
	switch message := strings.ToLower(finished.Message); {
	case strings.Contains(finished.Reason, "Fail"), strings.Contains(message, "failed"):
		return "failed"
	case finished.Reason == "Succeeded", strings.HasSuffix(finished.Reason, "Finished"), strings.Contains(message, "success"):
		return "completed"
	}
	return "cancelled"
}

// job sets the fields of a job: it waits from its creation until the controller starts it.
func (o *kubernetesObject) job(f *fields) {
	f[queue], f[timeLimit] = []byte(o.Metadata.Labels["kueue.x-k8s.io/queue-name"]), []byte(o.Spec.Deadline)
	f.setSize(o.sizeOfJob())
	f[startTime] = []byte(o.Status.StartTime)
	complete, failure := o.condition("Complete"), o.condition("Failed")
	switch {
	case failure != nil && failure.Status == "True":
		f[endTime], f[stateName] = []byte(failure.Changed), []byte("failed "+failure.Reason)
	case complete != nil && complete.Status == "True":
		f[endTime], f[stateName] = []byte(complete.Changed), []byte("completed Complete")
		if o.Status.CompletionTime != "" {
			f[endTime] = []byte(o.Status.CompletionTime)
		}
	case o.Status.StartTime != "" && !o.holds("Suspended"):
		f[stateName] = []byte("running")
	default:
		f[startTime], f[stateName] = nil, []byte("pending")
	}
}

// podSize is how many pods an object has, and the CPUs and GPUs of all of them.
type podSize struct {
	pods       int
	cpus, gpus float64
}

// add adds pods with what each of them asks for.
func (z *podSize) add(pods int, each *podTemplate) {
	z.pods += pods
	for i := range each.Spec.Containers {
		asked := &each.Spec.Containers[i].Resources
		requests := asked.Requests
		if requests == nil {
			requests = asked.Limits // which Kubernetes takes for requests
		}
		z.addResources(requests, float64(pods))
		for name, text := range asked.Limits {
			if _, requested := requests[name]; !requested {
				z.addResource(name, text, float64(pods))
			}
		}
	}
}

// addResources adds resources so many times.
func (z *podSize) addResources(all map[string]jsonText, times float64) {
	for name, text := range all {
		z.addResource(name, text, times)
	}
}

// addResource adds a resource so many times; others than CPUs and GPUs do not count.
func (z *podSize) addResource(name string, text jsonText, times float64) {
	switch n := quantityOf(string(text)); {
	case name == "cpu":
		z.cpus += times * n
	case strings.Contains(name, "gpu"), strings.Contains(name, "/mig-"):
		z.gpus += times * n
	}
}

// sizeOfWorkload returns the size that a workload was given or, before it is admitted, that it asks for.
func (o *kubernetesObject) sizeOfWorkload() (z podSize) {
	if o.Status.Admission == nil || o.Status.Admission.Assignments == nil {
		for i := range o.Spec.PodSets {
			z.add(o.Spec.PodSets[i].Count, &o.Spec.PodSets[i].Template)
		}
		return z
	}
	for i, a := range o.Status.Admission.Assignments {
		switch {
		case a.Count != nil:
			z.pods += *a.Count
		case i < len(o.Spec.PodSets):
			z.pods += o.Spec.PodSets[i].Count
		}
		z.addResources(a.Usage, 1)
	}
	return z
}

// sizeOfJob returns the size that a job asks for: the pods that run at once.
func (o *kubernetesObject) sizeOfJob() (z podSize) {
	pods := 1
	if o.Spec.Parallelism != nil {
		pods = *o.Spec.Parallelism
	}
	if o.Spec.Completions != nil {
		pods = min(pods, *o.Spec.Completions)
	}
	z.add(pods, &o.Spec.Template)
	return z
}

// setSize sets the fields that tell a size. Parts of CPUs and GPUs count as whole ones.
func (f *fields) setSize(z podSize) {
	f[allocNodes] = []byte(strconv.Itoa(max(0, z.pods)))
	whole := func(x float64) int { return int(min(math.Ceil(max(0, x)-1e-9), none-1)) }
	f[allocTRES] = fmt.Appendf(nil, "cpu=%d,gres/gpu=%d", whole(z.cpus), whole(z.gpus))
}

// quantitySuffixes are the units of quantities of Kubernetes.
//
// Reference: Kubernetes API reference, resource.Quantity.
var quantitySuffixes = []struct {
	name  string
	times float64
}{{"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}}

// quantityOf reads a quantity such as 4, 500m or 2k; a quantity that cannot be read counts as 0.
func quantityOf(text string) float64 {
	times := 1.0
	for _, s := range quantitySuffixes {
		if number, found := strings.CutSuffix(text, s.name); found {
			text, times = number, s.times
			break
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= none) {
		return 0
	}
	return times * x
}
