package joblog

// JobNames are the names of the jobs of a log, as its batch system writes them, and the clusters of the jobs. Both are found by the
// place of a job in the log. They take 12 bytes for each job of a log with arrays, heterogeneous jobs or several clusters, and nothing of
// other logs.
type JobNames struct {
	format   Format
	clusters []string  // the names of several clusters; nil: the log has at most one cluster
	parts    []jobPart // by the places of the jobs in the log; jobs behind the last part have none
}

// jobPart is the task, the component and the cluster of a job, see [Job]. The cluster is 0 if the log has at most one cluster.
type jobPart struct{ task, component, cluster int32 }

// JobNamesOf returns the names of jobs of a log in a format, which come in the order of their places. clusters are the names of the
// clusters, see [Names.Clusters]. The error comes from the jobs.
func JobNamesOf(format Format, clusters []string, jobs Jobs) (JobNames, error) {
	names, place := JobNames{format: format}, 0
	if len(clusters) > 1 {
		names.clusters = clusters
	}
	if jobs == nil {
		return names, nil
	}
	for j, err := range jobs {
		if err != nil {
			return names, err
		}
		part := jobPart{task: j.Task, component: j.Component}
		if names.clusters != nil {
			part.cluster = j.Cluster
		}
		if part != (jobPart{}) {
			names.parts = append(names.parts, make([]jobPart, place-len(names.parts))...)
			names.parts = append(names.parts, part)
		}
		place++
	}
	return names, nil
}

// Of returns the name of the job at a place from 0 on, see [Format.Name], and the name of its cluster. id is the [Job.ID] of the job.
// The cluster is "" if the log has at most one cluster, or does not tell the cluster of the job.
func (n *JobNames) Of(place, id int) (name, cluster string) {
	var part jobPart
	if n == nil {
		n = new(JobNames)
	}
	if 0 <= place && place < len(n.parts) {
		part = n.parts[place]
	}
	if 0 < part.cluster && int(part.cluster) <= len(n.clusters) {
		cluster = n.clusters[part.cluster-1]
	}
	return n.format.Name(&Job{ID: id, Task: part.task, Component: part.component}), cluster
}
