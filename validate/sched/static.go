package machine

import (
	"fmt"
	"strconv"
)

// Static is static partitioning: a number of equal partitions, a job to each, the rest wait first come, first served.
type Static struct{ Partitions int }

func newStatic(parameter string) (func() Policy, error) {
	k, err := strconv.Atoi(parameter)
	if err != nil || k < 1 {
		return nil, fmt.Errorf("machine: %q is not a number of partitions", parameter)
	}
	return func() Policy { return Static{Partitions: k} }, nil
}

// Name returns "static".
func (Static) Name() string { return "static" }

// Decide starts the head of the queue if there is a partition for it.
func (s Static) Decide(v View, _ Event, do []Action) []Action {
	if v.Waiting() > 0 && v.Running() < s.Partitions {
		do = append(do, Allocate(v.Head(), v.Nodes()/s.Partitions))
	}
	return do
}
