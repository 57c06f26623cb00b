package kubernetes

import (
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

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
func (z *podSize) addResources(all map[string]logtext.JSONText, times float64) {
	for name, text := range all {
		z.addResource(name, text, times)
	}
}

// addResource adds the quantity of a resource, multiplied by times. Resources other than CPUs and GPUs do not count.
func (z *podSize) addResource(name string, text logtext.JSONText, times float64) {
	switch n := quantityOf(string(text)); {
	case name == "cpu":
		z.cpus += times * n
	case strings.Contains(name, "gpu"), strings.Contains(name, "/mig-"):
		z.gpus += times * n
	}
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
		z.addResources(a.Usage, 1)
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
