package logstats

import "github.com/partwise/partwise/models/workload/joblog"

// nodeNumbers numbers the nodes of a log by their names.
type nodeNumbers struct {
	names   *joblog.Names
	numbers map[string]int32
	sizes   []int     // of nodes, by their numbers; 1 where sizes count nodes
	lists   [][]int32 // the numbers of the nodes of each list of nodes, by the number of the list; nil: not known yet
}

func newNodeNumbers(names *joblog.Names) *nodeNumbers {
	return &nodeNumbers{names: names, numbers: map[string]int32{}, lists: make([][]int32, len(names.NodeLists))}
}

// of returns the number of the list of nodes on which a job ran, −1 if the log does not name the nodes. The error says why the
// list cannot be read.
func (n *nodeNumbers) of(j *joblog.Job) (list int, err error) {
	list = int(j.NodeList) - 1
	if list < 0 || list >= len(n.lists) {
		return -1, nil
	}
	if n.lists[list] != nil {
		return list, nil
	}
	names, err := joblog.NodeNames(n.names.NodeLists[list])
	n.lists[list] = make([]int32, len(names))
	for i, name := range names {
		n.lists[list][i] = n.numberOf(name)
	}
	return list, err
}

// numberOf returns the number of a node.
func (n *nodeNumbers) numberOf(name string) int32 {
	number, known := n.numbers[name]
	if known {
		return number
	}
	number, size := int32(len(n.sizes)), 1
	if n.names.NodeSizes != nil {
		size = n.names.NodeSizes[name]
	}
	n.numbers[name] = number
	n.sizes = append(n.sizes, size)
	return number
}
