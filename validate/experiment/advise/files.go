package advise

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/models/policy"
)

// File is what a system that runs jobs reads, or is told.
type File struct{ Name, Text string }

// Files returns what to put into systems that people run so that jobs are given what a rule gives them: the least and the
// most nodes of a job, the quota, and the cooldown. Comments say what a system has no setting for. Second is a second in the
// time unit of the rule. Of a machine without partitions there are none.
//
//   - kubeflow.yaml: a ClusterTrainingRuntime of Kubeflow Trainer (trainer.kubeflow.org/v1alpha1), whose elastic policy has
//     minNodes and maxNodes. A cooldown, scaleCooldownSeconds, is proposed in KEP-2903 and no field yet.
//   - kueue.yaml: the queues of Kueue (kueue.x-k8s.io/v1beta1) and a job with workload slices.
//   - volcano.yaml: a queue of Volcano (scheduling.volcano.sh/v1beta1) and a job (batch.volcano.sh/v1alpha1) that is
//     started with minAvailable of its replicas.
//   - slurm.conf: partitions of Slurm, in which jobs ask for a range of nodes.
func Files(r policy.Resize, m policy.Machine, second float64) []File {
	if m.Partitions() < 1 || !(second > 0) {
		return nil
	}
	v := newSettings(r, m, second)
	return []File{{"kubeflow.yaml", v.fill(kubeflow)}, {"kueue.yaml", v.fill(kueue)}, {"volcano.yaml", v.fill(volcano)},
		{"slurm.conf", v.fill(slurm)}}
}

// settings are what the files have in common, in the words of their templates.
type settings struct{ names []string }

func newSettings(r policy.Resize, m policy.Machine, second float64) settings {
	units := m.Partitions()
	most := r.Shares(units, units)
	fewest := r.Shares(1, units)
	least := units / most * m.Unit
	largest := (units + fewest - 1) / fewest * m.Unit
	cooldown := int(math.Round(r.Cooldown / second))
	return settings{[]string{"RULE", r.String(), "NODES", fmt.Sprint(m.Nodes), "LEAST", fmt.Sprint(least), "LARGEST",
		fmt.Sprint(largest), "JOBS", fmt.Sprint(most), "COOLDOWN", fmt.Sprint(cooldown), "LADDER", ladder(r, m),
		"REST", rest(r)}}
}

// ladder lists the nodes of a share for 1, 2, … jobs.
func ladder(r policy.Resize, m policy.Machine) string {
	var sizes []string
	for _, s := range Steps(r, m) {
		if s.Waiting > 0 {
			break
		}
		text := fmt.Sprint(s.Least)
		if s.Most > s.Least {
			text += "-" + fmt.Sprint(s.Most)
		}
		sizes = append(sizes, text)
	}
	return strings.Join(sizes, ", ")
}

// rest says what of a rule whoever resizes the jobs has to keep to.
func rest(r policy.Resize) string {
	var all []string
	for _, p := range []struct {
		name, text string
	}{
		{"hysteresis", "only if that changes its nodes by a factor of %g or more"},
		{"batch", "only after %g jobs have come or gone since the last time"},
		{"wait", "to fewer nodes only if %g jobs wait"},
		{"on", "when a job ends, not when one comes"},
	} {
		if v := r.Get(p.name); v > 0 && strings.Contains(p.text, "%") {
			all = append(all, fmt.Sprintf(p.text, v))
		} else if v > 0 {
			all = append(all, p.text)
		}
	}
	if all == nil {
		return "whenever jobs come or go"
	}
	return strings.Join(all, ", and ")
}

func (s settings) fill(template string) string {
	var pairs []string
	for i := 0; i < len(s.names); i += 2 {
		pairs = append(pairs, "{"+s.names[i]+"}", s.names[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(strings.TrimPrefix(head+template, "\n"))
}

const head = `# partwise: {RULE}
# Of 1, 2, ... jobs each gets {LADDER} nodes; more than {JOBS} wait.
# Resize a job {REST}.
`

const kubeflow = `apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-elastic
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    torch:
      elasticPolicy:
        minNodes: {LEAST}
        maxNodes: {LARGEST}
        # scaleCooldownSeconds: {COOLDOWN}    (proposed in KEP-2903, whose default is 60; not yet a field)
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: pytorch/pytorch
`

const kueue = `# Needs the feature gate ElasticJobsViaWorkloadSlices. Kueue keeps no time between resizes: whoever changes the
# parallelism of a job has to let {COOLDOWN} seconds pass, and to stay between {LEAST} and {LARGEST}.
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: node
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: elastic
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: ["pods"]
      flavors:
        - name: node
          resources:
            - name: pods
              nominalQuota: {NODES}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: elastic
  namespace: default
spec:
  clusterQueue: elastic
---
apiVersion: batch/v1
kind: Job
metadata:
  generateName: elastic-
  namespace: default
  labels:
    kueue.x-k8s.io/queue-name: elastic
  annotations:
    kueue.x-k8s.io/elastic-job: "true"
spec:
  parallelism: {LARGEST}
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: node
          image: pytorch/pytorch
`

const volcano = `# Volcano keeps no time between resizes: whoever changes the replicas of a job has to let {COOLDOWN} seconds pass.
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: elastic
spec:
  weight: 1
  reclaimable: true
  capability:
    pods: {NODES}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  generateName: elastic-
spec:
  schedulerName: volcano
  queue: elastic
  minAvailable: {LEAST}
  tasks:
    - name: node
      replicas: {LARGEST}
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: node
              image: pytorch/pytorch
`

const slurm = `# Jobs ask for a range, sbatch --nodes={LEAST}-{LARGEST}, and are resized by scontrol update JobId=... NumNodes=...,
# at least {COOLDOWN} seconds after the last time.
PartitionName=elastic Nodes=node[1-{NODES}] MinNodes={LEAST} MaxNodes={LARGEST} OverSubscribe=NO Default=YES State=UP
`
