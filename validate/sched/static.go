package sched

// static is static partitioning: a number of equal partitions, a job to each, the rest wait first come, first served. A job
// that can use fewer nodes has so many of those of its partition.
type static struct{ Partitions int }

// Name returns "static".
func (static) Name() string { return "static" }

// Renews returns true: the policy is stateless.
func (static) Renews() bool { return true }

// Decide starts jobs from the head of the queue while there are partitions for them.
func (s static) Decide(v View, _ []Event, do []Action) []Action {
	for i := range min(v.Waiting(), s.Partitions-v.Running()) {
		j := v.Queued(i).Job
		do = append(do, Allocate(j, min(v.Nodes()/s.Partitions, v.Most(j)/v.Unit()*v.Unit())))
	}
	return do
}
