package joblog

import (
	"bytes"
	"fmt"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/packed"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// sharedNodes says that jobs of one node had fewer CPUs than their nodes have: from the fewest to the most.
func sharedNodes(fewest, most uint32) string {
	cpus := words.Whole(int64(most))
	if fewest < most {
		cpus = words.Whole(int64(fewest)) + " to " + cpus
	}
	return fmt.Sprintf("jobs of one node with less than its %s CPUs, which may share the node: each counts as a whole node and is resized "+
		"by whole nodes (--unit-of-allocation cpus counts and resizes by CPUs)", cpus)
}

// nodesInUse are the CPUs that jobs used on the nodes that the log names.
type nodesInUse struct {
	wholelog.SharedNodes
	names packed.Names
	lists map[string][]uint32 // the numbers of the nodes in lists of several nodes
	one   [1]uint32           // the number of the node of the last job of one node
}

// mostNames bounds the nodes that are told apart, and mostLists the lists of several nodes that are kept. Further nodes, and the
// nodes of further lists, count as nodes without a name.
const mostNames, mostLists = 1 << 16, 1 << 10

// add takes in what an execution used. Its end counts as its start if one of them is not known.
func (n *nodesInUse) add(e *entry) {
	if e.units == 0 || e.cpus == 0 {
		return
	}
	job := [3]uint32{e.ID, e.Task, uint32(e.Cluster)<<8 | uint32(e.Component)}
	u := wholelog.NodeUse{Job: job, Nodes: e.units, CPUs: e.cpus, Start: e.start.at, End: e.start.at}
	if e.start.known && e.end.known {
		u.End = e.end.at
	}
	if e.units > 1 {
		u.On = n.numbersOf(e.nodes)
	} else {
		n.one[0] = n.numberOf(e.nodes)
		u.On = n.one[:]
	}
	n.Add(u)
}

// numberOf returns the number of the node in a list of one node, 0 if the node is not known.
func (n *nodesInUse) numberOf(list []byte) uint32 {
	name, _, _ := bytes.Cut(list, []byte("/")) // the places of the job on the node
	if len(name) == 0 || bytes.ContainsAny(name, ",+[") {
		return 0
	}
	return n.names.Within(name, mostNames)
}

// numbersOf returns the numbers of the nodes in a list; the number 0 if they are not known.
func (n *nodesInUse) numbersOf(list []byte) []uint32 {
	numbers, known := n.lists[string(list)]
	if known {
		return numbers
	}
	numbers = []uint32{0}
	if len(list) == 0 || len(n.lists) == mostLists {
		return numbers
	}
	if names, err := logtext.NodeNames(string(list)); err == nil && len(names) > 0 {
		numbers = numbers[:0]
		for _, name := range names {
			numbers = append(numbers, n.names.Within([]byte(name), mostNames))
		}
	}
	if n.lists == nil {
		n.lists = map[string][]uint32{}
	}
	n.lists[string(list)] = numbers
	return numbers
}
