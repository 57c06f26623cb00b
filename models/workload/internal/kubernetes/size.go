package kubernetes

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// podSize is how many pods an object has, and the CPUs and GPUs of all of them.
type podSize struct {
	pods int
	held amounts
}

// amounts are numbers of CPUs and GPUs.
type amounts struct{ cpus, gpus float64 }

// add adds other amounts so many times.
func (a *amounts) add(other amounts, times float64) {
	a.cpus += times * other.cpus
	a.gpus += times * other.gpus
}

// raise raises the amounts to other amounts where these are larger.
func (a *amounts) raise(other amounts) {
	a.cpus, a.gpus = max(a.cpus, other.cpus), max(a.gpus, other.gpus)
}

// addResource adds the quantity of a resource. Resources other than CPUs and GPUs do not count.
func (a *amounts) addResource(name string, text logtext.JSONText) {
	switch {
	case name == "cpu":
		a.cpus += quantityOf(string(text))
	case isGPU(name):
		a.gpus += quantityOf(string(text))
	}
}

// isGPU reports whether a resource counts GPUs, or parts of GPUs as MIG makes them. Device plugins also call the memory, the
// cores and the tiles of GPUs by names with gpu, such as nvidia.com/gpumem; these resources count no GPUs.
func isGPU(name string) bool {
	for _, part := range []string{"mem", "core", "tile", "monitoring"} {
		if strings.Contains(name, part) {
			return false
		}
	}
	return strings.Contains(name, "gpu") || strings.Contains(name, "/mig-")
}

// amountsIn returns the amounts in a list of quantities.
func amountsIn(all map[string]logtext.JSONText) (a amounts) {
	for name, text := range all {
		a.addResource(name, text)
	}
	return a
}

// requested returns what a container or a pod asks for. Kubernetes takes the limit of a resource for its request if there is no
// request.
func (r *resources) requested() (a amounts) {
	a = amountsIn(r.Requests)
	for name, text := range r.Limits {
		if _, isRequested := r.Requests[name]; !isRequested {
			a.addResource(name, text)
		}
	}
	return a
}

// requested returns what a pod asks for: the sum over its containers, or what an init container asks for if that is more. Init
// containers that are always restarted run beside all later containers.
//
// Reference: Kubernetes, sidecar containers, resource sharing within containers; pod-level resources; pod overhead.
func (p *podTemplate) requested() amounts {
	var beside, most amounts
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		now := c.Resources.requested()
		now.add(beside, 1)
		most.raise(now)
		if c.RestartPolicy == "Always" {
			beside = now
		}
	}
	sum := beside
	for i := range p.Spec.Containers {
		sum.add(p.Spec.Containers[i].Resources.requested(), 1)
	}
	sum.raise(most)
	if p.Spec.Resources != nil {
		whole := p.Spec.Resources.requested()
		sum.cpus, sum.gpus = cmp.Or(whole.cpus, sum.cpus), cmp.Or(whole.gpus, sum.gpus)
	}
	sum.add(amountsIn(p.Spec.Overhead), 1)
	return sum
}

// add adds pods with what each of them asks for.
func (z *podSize) add(pods int, each *podTemplate) {
	z.pods += pods
	z.held.add(each.requested(), float64(pods))
}

// sizeOfWorkload returns the size that a workload was given or, before it is admitted, that it asks for.
func (o *Object) sizeOfWorkload() (z podSize) {
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
		z.held.add(amountsIn(a.Usage), 1)
	}
	return z
}

// sizeOfJob returns the size that a job asks for: the pods that run at once.
func (o *Object) sizeOfJob() (z podSize) {
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

// whole returns an amount of CPUs or GPUs as a whole number: rounded up, and at most 2³² − 2.
func whole(x float64) int { return int(min(math.Ceil(max(0, x)-1e-9), math.MaxUint32-1)) }

// quantitySuffixes are the units of quantities of Kubernetes.
//
// Reference: Kubernetes API reference, resource.Quantity.
var quantitySuffixes = []struct {
	name  string
	times float64
}{{"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}}

// quantityOf reads a quantity such as 4, 500m or 2k; a quantity that cannot be read, or is above 2³², counts as 0.
func quantityOf(text string) float64 {
	times := 1.0
	for _, s := range quantitySuffixes {
		if number, found := strings.CutSuffix(text, s.name); found {
			text, times = number, s.times
			break
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= math.MaxUint32) {
		return 0
	}
	return times * x
}
