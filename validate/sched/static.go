package sched

// Static is static partitioning: a number of equal partitions, a job to each, the rest wait first come, first served. A job
// that can use fewer nodes has so many of those of its partition.
type Static struct{ Partitions int }

// Name returns "static".
func (Static) Name() string { return "static" }

// Renews returns true: the policy is stateless.
func (Static) Renews() bool { return true }

// Decide starts jobs from the head of the queue while there are partitions for them.
func (s Static) Decide(v View, _ []Event, do []Action) []Action {
	for i := range min(v.Waiting(), s.Partitions-v.Running()) {
		j := v.Queued(i).Job
		do = append(do, Allocate(j, min(v.Nodes()/s.Partitions, v.Most(j)/v.Unit()*v.Unit())))
	}
	return do
}
