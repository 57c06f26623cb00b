package joblog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
)

// rfc3339 writes a Unix time as Kubernetes does; 0 is a time that is not told.
func rfc3339(unix int64) any {
	if unix == 0 {
		return nil
	}
	return time.Unix(unix, 0).UTC().Format(time.RFC3339)
}

// writeWorkloads writes jobs as kubectl get workloads -o json does.
func writeWorkloads(jobs []drawn) string {
	var items []any
	for i := range jobs {
		d := &jobs[i]
		conditions := []any{map[string]any{"type": "QuotaReserved", "status": "True", "lastTransitionTime": rfc3339(d.start)},
			map[string]any{"type": "Admitted", "status": "True", "lastTransitionTime": rfc3339(d.start)}}
		reason := map[string]string{"COMPLETED": "Succeeded", "FAILED": "Failed", "CANCELLED": "OutOfSync"}[d.state]
		if d.end != 0 {
			conditions = append(conditions, map[string]any{"type": "Finished", "status": "True", "reason": reason, "lastTransitionTime": rfc3339(d.end)})
		}
		spec := map[string]any{"queueName": "local", "podSets": []any{map[string]any{"name": "main", "count": d.nodes, "template": map[string]any{}}}}
		if d.limit > 0 {
			spec["maximumExecutionTimeSeconds"] = d.limit
		}
		items = append(items, map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
			"metadata": map[string]any{"name": fmt.Sprint("job-", d.id), "namespace": d.user, "uid": fmt.Sprint("uid-", d.id),
				"creationTimestamp": rfc3339(d.submit)}, "spec": spec,
			"status": map[string]any{"conditions": conditions, "admission": map[string]any{"clusterQueue": d.queue, "podSetAssignments": []any{map[string]any{
				"name": "main", "count": d.nodes, "resourceUsage": map[string]any{"cpu": fmt.Sprint(8 * d.nodes),
					"nvidia.com/gpu": fmt.Sprint(d.nodes * d.gpus)}}}}}})
	}
	return asText(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

const someWorkloads = `{"apiVersion": "v1", "kind": "List", "items": [
 {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
  "metadata": {"name": "a", "namespace": "vision", "uid": "w1", "creationTimestamp": "2024-03-01T08:00:00Z", "ownerReferences": [{"kind": "Job", "uid": "j1"}]},
  "spec": {"queueName": "team", "maximumExecutionTimeSeconds": 7200, "podSets": [
   {"name": "driver", "count": 1, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "500m"}}}]}}},
   {"name": "workers", "count": 4, "template": {"spec": {"containers": [{"resources": {"limits": {"cpu": "8", "nvidia.com/gpu": "2"}}}]}}}]},
  "status": {"conditions": [
    {"type": "QuotaReserved", "status": "True", "lastTransitionTime": "2024-03-01T08:09:00Z"},
    {"type": "Admitted", "status": "True", "lastTransitionTime": "2024-03-01T08:10:00Z"},
    {"type": "Evicted", "status": "False", "reason": "QuotaReserved", "lastTransitionTime": "2024-03-01T08:09:00Z"},
    {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "Job finished successfully", "lastTransitionTime": "2024-03-01T09:10:00Z"}],
   "accumulatedPastExecutionTimeSeconds": 300,
   "admission": {"clusterQueue": "gpus", "podSetAssignments": [
    {"name": "driver", "count": 1, "resourceUsage": {"cpu": "500m"}}, {"name": "workers", "count": 2, "resourceUsage": {"cpu": "16", "nvidia.com/gpu": "4"}}]}}},
 {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
  "metadata": {"name": "b", "namespace": "vision", "uid": "w2", "creationTimestamp": "2024-03-01T08:30:00Z"},
  "spec": {"queueName": "team", "podSets": [{"name": "main", "count": 3, "template": {"spec": {"containers": [{"resources": {"requests": {"nvidia.com/gpu": 1}}}]}}}]},
  "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "lastTransitionTime": "2024-03-01T08:30:00Z"}]}},
 {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
  "metadata": {"name": "c", "namespace": "text", "uid": "w3", "creationTimestamp": "2024-03-01T08:40:00Z"},
  "spec": {"active": false, "queueName": "team", "podSets": [{"name": "main", "count": 3, "template": {"spec": {"containers": []}}}]},
  "status": {"conditions": []}},
 {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
  "metadata": {"name": "d", "namespace": "text", "uid": "w4", "creationTimestamp": "2024-03-01T08:50:00Z"},
  "spec": {"queueName": "other", "podSets": [{"name": "main", "count": 3, "template": {"spec": {"containers": []}}}]},
  "status": {"conditions": [{"type": "Admitted", "status": "True", "lastTransitionTime": "2024-03-01T08:50:00Z"},
    {"type": "Finished", "status": "True", "reason": "JobFinished", "message": "Job failed", "lastTransitionTime": "2024-03-01T08:51:00Z"}],
   "admission": {"clusterQueue": "cpus", "podSetAssignments": [{"name": "main", "resourceUsage": {"cpu": "2500m"}}]}}},
 {"apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "a", "namespace": "vision", "uid": "j1", "creationTimestamp": "2024-03-01T08:00:00Z"},
  "spec": {"parallelism": 4, "template": {"spec": {"containers": []}}}, "status": {"startTime": "2024-03-01T08:10:00Z", "active": 4}},
 {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
]}
`

const someKubernetesJobs = `{"apiVersion": "v1", "kind": "List", "items": [
 {"apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "a", "namespace": "vision", "uid": "j1", "creationTimestamp": "2024-03-01T08:00:00Z", "labels": {"kueue.x-k8s.io/queue-name": "team"}},
  "spec": {"parallelism": 4, "completions": 2, "activeDeadlineSeconds": 3600, "template": {"spec": {"containers": [
   {"resources": {"limits": {"nvidia.com/gpu": "2"}, "requests": {"cpu": "1500m", "nvidia.com/gpu": "2"}}}, {"resources": {"requests": {"cpu": "500m"}}}]}}},
  "status": {"startTime": "2024-03-01T08:10:00Z", "completionTime": "2024-03-01T09:10:00Z", "succeeded": 2,
   "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": "2024-03-01T09:10:01Z"}]}},
 {"apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "b", "namespace": "vision", "uid": "j2", "creationTimestamp": "2024-03-01T08:05:00Z"},
  "spec": {"template": {"spec": {"containers": [{"resources": {}}]}}},
  "status": {"startTime": "2024-03-01T08:05:00Z", "conditions": [{"type": "FailureTarget", "status": "True", "lastTransitionTime": "2024-03-01T08:06:00Z"},
   {"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "lastTransitionTime": "2024-03-01T08:06:30Z"}]}},
 {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "c", "uid": "j3", "creationTimestamp": "2024-03-01T08:06:00Z"},
  "spec": {"suspend": true, "template": {"spec": {"containers": []}}}, "status": {"conditions": [{"type": "Suspended", "status": "True"}]}},
 {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "d", "uid": "j4", "creationTimestamp": "2024-03-01T08:06:00Z"},
  "spec": {"template": {"spec": {"containers": []}}}, "status": {"startTime": "2024-03-01T08:06:00Z", "active": 1}}
]}
`

// inV1beta1 writes workloads in the older version of Kueue's interface, which misspells a field.
var inV1beta1 = strings.NewReplacer("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1", "PastExecutionTime", "PastExexcutionTime")

// Records of Kubernetes, with totals that were counted by hand.
func TestKubernetes(t *testing.T) {
	// What stands before the first Admitted, the eviction, is lost: 3 pods, 17 CPUs or 4 GPUs for 300 s.
	foundInWorkloads := inOrder("1 " + pastExecutions + " @2; 1 " + ownedJobs + " @29; 1 " + otherKinds + " @32; 1 " + stillPending +
		" @0; 1 " + neverStarted + " @0")
	foundInJobs := inOrder("1 " + stillPending + " @0; 1 " + stillRunning + " @0")
	for _, c := range []struct {
		name, text string
		unit       joblog.Unit
		want       totals
	}{
		{"pods of workloads", someWorkloads, "", totals{Completed: 1, Failed: 1, NodeSeconds: 3*3600 + 3*60, Gaps: "[3000]", Waits: "[600 0]",
			Estimates: "[7200 -1]", Unfinished: 1, Found: foundInWorkloads}},
		{"pods of workloads in v1beta1", inV1beta1.Replace(someWorkloads), "", totals{Completed: 1, Failed: 1, NodeSeconds: 3*3600 + 3*60,
			Gaps: "[3000]", Waits: "[600 0]", Estimates: "[7200 -1]", Unfinished: 1, Found: foundInWorkloads}},
		{"CPUs of workloads", someWorkloads, InCPUs, totals{Completed: 1, Failed: 1, NodeSeconds: 17*3600 + 3*60, Gaps: "[3000]", Waits: "[600 0]",
			Estimates: "[7200 -1]", Unfinished: 1, Found: foundInWorkloads}},
		{"GPUs of workloads", someWorkloads, InGPUs, totals{Completed: 1, Failed: 1, NodeSeconds: 4 * 3600, Gaps: "[3000]", Waits: "[600 0]",
			Estimates: "[7200 -1]", Unfinished: 1, Found: foundInWorkloads}},
		{"pods of jobs", someKubernetesJobs, "", totals{Completed: 1, Failed: 1, NodeSeconds: 2*3600 + 90, Gaps: "[300]", Waits: "[600 0]",
			Estimates: "[3600 -1]", Unfinished: 2, Found: foundInJobs}},
		{"GPUs of jobs", someKubernetesJobs, InGPUs, totals{Completed: 1, Failed: 1, NodeSeconds: 4 * 3600, Gaps: "[300]", Waits: "[600 0]",
			Estimates: "[3600 -1]", Unfinished: 2, Found: foundInJobs}},
		{"CPUs of jobs", someKubernetesJobs, InCPUs, totals{Completed: 1, NodeSeconds: 4 * 3600, Gaps: "[]", Waits: "[600]",
			Estimates: "[3600]", Unfinished: 2, Found: foundInJobs + "; 1 no number of CPUs @8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := readText(t, c.text, joblog.Options{Unit: c.unit})
			if l.Format != kubernetes {
				t.Errorf("recognised as %q", l.Format)
			}
			if diff := cmp.Diff(c.want, totalsOf(&l)); diff != "" {
				t.Error(diff)
			}
		})
	}
	l := readText(t, someWorkloads, joblog.Options{Unit: InGPUs})
	if l.Lost.Lines != 1 || l.Lost.NodeSeconds != 4*300 || l.NeverStarted.Len() != 1 {
		t.Errorf("lost %+v, %d never started", l.Lost, l.NeverStarted.Len())
	}
	var told []string
	for i := range l.Jobs {
		j := &l.Jobs[i]
		told = append(told, fmt.Sprint(l.Names.Of(joblog.Partition, j), " ", l.Names.Of(joblog.Account, j), " ", l.Names.State(j)))
	}
	if diff := cmp.Diff([]string{"gpus vision Succeeded", "cpus text JobFinished"}, told); diff != "" {
		t.Error(diff)
	}
}

// A record that is listed twice is one job, and objects may follow each other without a list.
func TestKubernetesInOtherForms(t *testing.T) {
	jobs := steadyJobs(20)
	items := writeWorkloads(jobs)
	items = strings.TrimSpace(items[strings.Index(items, "[")+1 : strings.LastIndex(items, "]")])
	stream := strings.ReplaceAll(items, "\n  },\n  {", "\n  }\n  {")
	for name, text := range map[string]string{"a list of a kind": strings.ReplaceAll(writeWorkloads(jobs), `"kind": "Workload",`, `"other": "",`),
		"a stream": stream} {
		l := readText(t, text, joblog.Options{})
		if len(l.Jobs) != 20 || held(&l) != 40 {
			t.Errorf("%s: %d jobs, %g pod-hours", name, len(l.Jobs), held(&l))
		}
	}
	twice := fmt.Sprintf(`{"apiVersion": "v1", "items": [%s, %s]}`, items, items)
	if l := readText(t, twice, joblog.Options{}); len(l.Jobs) != 20 || found(&l, listedTwice) != 20 {
		t.Errorf("listed twice: %d jobs, %v", len(l.Jobs), l.Findings)
	}
}

func FuzzKubernetes(f *testing.F) { fuzz(f, kubernetes, someWorkloads, someKubernetesJobs) }
