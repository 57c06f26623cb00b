package joblog

import "fmt"

// sharedNodes says that jobs of one node had fewer CPUs than a node has.
func sharedNodes(cpus uint32) string {
	return fmt.Sprintf("jobs of one node with less than its %d CPUs, which may share the node: each counts as a whole node and is resized "+
		"by whole nodes (--unit-of-allocation cpus counts and resizes by CPUs)", cpus)
}
