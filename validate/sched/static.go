package sched

// Static is static partitioning: a number of equal partitions, a job to each, the rest wait first come, first served.
type Static struct{ Partitions int }

// Name returns "static".
func (Static) Name() string { return "static" }

// Renews returns true: the policy is stateless.
func (Static) Renews() bool { return true }

// Decide starts the head of the queue if there is a partition for it.
func (s Static) Decide(v View, _ Event, do []Action) []Action {
	if v.Waiting() > 0 && v.Running() < s.Partitions {
		do = append(do, Allocate(v.Head(), v.Nodes()/s.Partitions))
	}
	return do
}
