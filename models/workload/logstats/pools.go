package logstats

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Pool is a part of the machine with its own queue: a partition. Pools may share nodes.
type Pool struct {
	Name    string
	Nodes   int // distinct nodes on which its jobs ran or, where the log does not name nodes, the most that were in use at once
	Waiting Waits
}

// Errors of logs whose partitions cannot be told apart.
var (
	ErrNoPartitions = errors.New("logstats: the log does not tell the partitions of its jobs")
	ErrNoNodes      = errors.New("logstats: the log tells neither the nodes of its partitions nor when its jobs started")
)

// given returns the jobs and the names of a log: no jobs in place of nil, and no names in place of nil.
func given(jobs joblog.Jobs, names *joblog.Names) (joblog.Jobs, *joblog.Names) {
	if jobs == nil {
		jobs = joblog.ListOf(nil).All()
	}
	if names == nil {
		names = new(joblog.Names)
	}
	return jobs, names
}

// PoolsOf returns the partitions of a log in the order of their names, each as a machine of its own, and the number of nodes that stand
// in several partitions. names are those of the log. The error is that of the jobs, [ErrNoPartitions] or [ErrNoNodes].
func PoolsOf(jobs joblog.Jobs, names *joblog.Names) (all []Pool, shared int, err error) {
	jobs, names = given(jobs, names)
	p := newPools(names)
	for j, err := range jobs {
		if err != nil {
			return nil, 0, err
		}
		if Waited(j) {
			if err := p.add(j); err != nil {
				return nil, 0, err
			}
		}
	}
	switch _, unnamed := p.byName[""]; {
	case len(p.byName) == 0:
		return nil, 0, ErrNoNodes
	case unnamed && len(p.byName) == 1:
		return nil, 0, ErrNoPartitions
	}
	return p.list(), p.shared(), nil
}

// NodesOf returns the number of nodes of the machine of a log: the distinct nodes on which jobs ran or, where the log does not name nodes,
// the most that jobs held at once. It is 0 if the log tells neither. names are those of the log. The error is that of the jobs.
func NodesOf(jobs joblog.Jobs, names *joblog.Names) (int, error) {
	jobs, names = given(jobs, names)
	whole := newPool()
	for j, err := range jobs {
		if err != nil {
			return 0, err
		}
		if Waited(j) {
			if err := whole.add(stayOf(j), j, names); err != nil {
				return 0, err
			}
		}
	}
	return whole.size(names.NodeSizes), nil
}

// pools collects the jobs of a log by partition.
type pools struct {
	names  *joblog.Names
	byName map[string]*pool
}

func newPools(names *joblog.Names) *pools { return &pools{names, map[string]*pool{}} }

// add adds a job that [Waited].
func (p *pools) add(j *joblog.Job) error {
	name := p.names.Of(joblog.Partition, j)
	if p.byName[name] == nil {
		p.byName[name] = newPool()
	}
	return p.byName[name].add(stayOf(j), j, p.names)
}

// list returns the pools in the order of their names.
func (p *pools) list() []Pool {
	var all []Pool
	for name, of := range p.byName {
		n := of.size(p.names.NodeSizes)
		all = append(all, Pool{Name: name, Nodes: n, Waiting: WaitsOf(of.stays, n)})
	}
	slices.SortFunc(all, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// shared returns the number of nodes that stand in several pools.
func (p *pools) shared() (n int) {
	in := map[string]int{}
	for _, of := range p.byName {
		for node := range of.nodes {
			in[node]++
		}
	}
	for count := range maps.Values(in) {
		if count > 1 {
			n++
		}
	}
	return n
}

// pool collects the jobs of a partition.
type pool struct {
	stays   []Stay
	largest int             // nodes of a job
	unnamed bool            // some job has no list of nodes
	lists   map[int32]bool  // lists of nodes that were expanded
	nodes   map[string]bool // on which jobs ran
}

func newPool() *pool { return &pool{lists: map[int32]bool{}, nodes: map[string]bool{}} }

// add adds a job with its nodes.
func (p *pool) add(s Stay, j *joblog.Job, names *joblog.Names) error {
	p.stays = append(p.stays, s)
	p.largest = max(p.largest, s.Nodes)
	switch {
	case j.NodeList < 1 || int(j.NodeList) > len(names.NodeLists):
		p.unnamed = true
		return nil
	case p.lists[j.NodeList]:
		return nil
	}
	p.lists[j.NodeList] = true
	nodes, err := joblog.NodeNames(names.NodeLists[j.NodeList-1])
	for _, name := range nodes {
		p.nodes[name] = true
	}
	return err
}

// size returns the number of nodes of the pool. Where the sizes of nodes are given, it is the sum of the sizes of its nodes.
func (p *pool) size(sizes map[string]int) int {
	if p.unnamed || len(p.nodes) == 0 {
		return peakOf(p.stays)
	}
	n := len(p.nodes)
	if sizes != nil {
		n = 0
		for name := range p.nodes {
			n += sizes[name]
		}
	}
	return max(n, p.largest)
}

// peakOf returns the most nodes that jobs held at once. Nodes that one job gives back can be held by another at the same time.
func peakOf(stays []Stay) (peak int) {
	changes := changesOf(stays)
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.nodes, b.nodes)) })
	used := 0
	for _, c := range changes {
		used += c.nodes
		peak = max(peak, used)
	}
	return peak
}
