package sched

// static is static partitioning: a number of equal partitions, a job to each, the rest wait first come, first served. A job
// that can use fewer nodes has so many of those of its partition.
type static struct{ Partitions int }

// Name returns "static".
func (static) Name() string { return "static" }

// Decide starts jobs from the head of the queue while there are partitions for them.
func (s static) Decide(v View, _ []Event, do []Action) []Action {
	free := s.Partitions - v.Running()
	for i := 0; i < free && i < v.Waiting(); i++ {
		j := v.Queued(i).Job
		do = append(do, Allocate(j, min(v.Nodes()/s.Partitions, whole(v, v.Most(j)))))
	}
	return do
}
