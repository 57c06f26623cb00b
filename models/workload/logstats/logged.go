package logstats

import (
	"cmp"
	"errors"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Logged is what a log says of its machine as it ran. Times are in seconds.
type Logged struct {
	Jobs             int     // that started, and whose waits the log tells
	MeanResponseTime float64 // from the submission of these jobs to their ends
	Waiting          Waits   // of these jobs, on the whole machine
	// Pools are the partitions of the machine in the order of their names, each with the waits of its own jobs on its own nodes;
	// none if all jobs have the same partition.
	Pools []Pool
}

// Pool is a part of the machine with its own queue. Pools may share nodes.
type Pool struct {
	Name    string
	Nodes   int // distinct nodes on which its jobs ran or, where the log does not name nodes, the most that were in use at once
	Waiting Waits
}

// ErrNoWaits is the error of a log that does not tell how long its jobs waited: all waits are unknown, or all are 0.
var ErrNoWaits = errors.New("logstats: all waits of the log are 0 or unknown")

// Waited reports whether a log tells that a job started, how long the job waited and how long it ran.
func Waited(j *joblog.Job) bool { return j != nil && j.Wait >= 0 && j.Run >= 0 && j.Problem(0) == "" }

// stayOf returns the time of a job that [Waited] in the system.
func stayOf(j *joblog.Job) Stay {
	start := j.Submit + j.Wait
	return Stay{Submit: j.Submit, Eligible: j.Submit + min(max(j.Held, 0), j.Wait), Start: start, End: start + j.Run, Nodes: j.Nodes()}
}

// LoggedOf returns how the jobs of a log waited on a machine of so many nodes. names are those of the log; they tell its partitions and,
// if lists of nodes were kept, the nodes of each partition; nil: the log names nothing. The error is that of the jobs, or [ErrNoWaits].
func LoggedOf(jobs joblog.Jobs, names *joblog.Names, nodes int) (*Logged, error) {
	if jobs == nil {
		return nil, ErrNoWaits
	}
	if names == nil {
		names = new(joblog.Names)
	}
	l := new(Logged)
	var stays []Stay
	pools := map[string]*pool{}
	for j, err := range jobs {
		if err != nil {
			return nil, err
		}
		if !Waited(j) {
			continue
		}
		s := stayOf(j)
		stays = append(stays, s)
		l.MeanResponseTime += s.End - s.Submit
		name := names.Of(joblog.Partition, j)
		if pools[name] == nil {
			pools[name] = newPool()
		}
		if err := pools[name].add(s, j, names); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(stays, func(s Stay) bool { return s.wait() > 0 }) {
		return nil, ErrNoWaits
	}
	l.Jobs = len(stays)
	l.MeanResponseTime /= float64(l.Jobs)
	l.Waiting = WaitsOf(stays, nodes)
	if len(pools) > 1 {
		for name, p := range pools {
			n := p.size()
			l.Pools = append(l.Pools, Pool{Name: name, Nodes: n, Waiting: WaitsOf(p.stays, n)})
		}
		slices.SortFunc(l.Pools, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	}
	return l, nil
}

// WithinPools returns the waits of all jobs, divided by what their own pools did meanwhile: the means over the jobs of all pools. Without
// pools it returns the waits on the whole machine.
func (l *Logged) WithinPools() Waits {
	if len(l.Pools) == 0 {
		return l.Waiting
	}
	w := l.Waiting
	w.NoNodes, w.NearlyFull, w.NodesFree = 0, 0, 0
	for _, p := range l.Pools {
		share := float64(p.Waiting.Jobs) / float64(l.Jobs)
		w.NoNodes += share * p.Waiting.NoNodes
		w.NearlyFull += share * p.Waiting.NearlyFull
		w.NodesFree += share * p.Waiting.NodesFree
	}
	return w
}

// pool collects the jobs of a partition.
type pool struct {
	stays   []Stay
	unnamed bool            // some job has no list of nodes
	lists   map[int32]bool  // lists of nodes that were expanded
	nodes   map[string]bool // on which jobs ran
}

func newPool() *pool { return &pool{lists: map[int32]bool{}, nodes: map[string]bool{}} }

// add adds a job with its nodes.
func (p *pool) add(s Stay, j *joblog.Job, names *joblog.Names) error {
	p.stays = append(p.stays, s)
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

// size returns the number of nodes of the pool.
func (p *pool) size() int {
	if p.unnamed || len(p.nodes) == 0 {
		return peakOf(p.stays)
	}
	return len(p.nodes)
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
