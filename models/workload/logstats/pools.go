package logstats

import (
	"cmp"
	"errors"
	"slices"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Pool is a part of the machine with its own queue: a partition. Pools may share nodes.
type Pool struct {
	Name string
	// Nodes are the distinct nodes on which its jobs ran. Where more than 5 % of the jobs do not name their nodes, they are the most
	// that were in use at once. They are no fewer than those of the largest job.
	Nodes int
}

// ErrNoPools is the error of a log that does not tell its partitions, or not their nodes. The message says which.
var ErrNoPools = errors.New("logstats: the log does not tell its partitions")

// poolsError is a message of [ErrNoPools].
type poolsError string

const (
	errNoPartitions poolsError = "logstats: the log does not tell the partitions of its jobs"
	errNoNodes      poolsError = "logstats: the log tells neither the nodes of its partitions nor when its jobs started"
)

// Error returns the message.
func (e poolsError) Error() string { return string(e) }

// Is reports whether target is [ErrNoPools], for errors.Is.
func (poolsError) Is(target error) bool { return target == ErrNoPools }

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

// PoolsOf returns the partitions of a log in the order of their names, each as a machine of its own, and the number of nodes that
// stand in several partitions. names are the names in the log. The error comes from reading the jobs, or is [ErrNoPools] with a
// message that says what is missing.
func PoolsOf(jobs joblog.Jobs, names *joblog.Names) (all []Pool, shared int, err error) {
	m, err := machineOf(jobs, names)
	switch {
	case err != nil:
		return nil, 0, err
	case len(m.parts) == 0:
		return nil, 0, errNoNodes
	case len(m.parts) == 1 && m.parts[0].name == "":
		return nil, 0, errNoPartitions
	}
	for _, p := range m.parts {
		all = append(all, Pool{Name: p.name, Nodes: p.size()})
	}
	slices.SortFunc(all, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	return all, m.shared(), nil
}

// LargestJob returns the number of nodes of the largest job, or 0 without jobs. The error comes from the jobs.
func LargestJob(jobs joblog.Jobs) (nodes int, err error) {
	jobs, _ = given(jobs, nil)
	for j, err := range jobs {
		if err != nil {
			return 0, err
		}
		nodes = max(nodes, j.Nodes())
	}
	return nodes, nil
}

// NodesOf returns the number of nodes of the machine of a log: the distinct nodes on which jobs ran or, where more than 5 % of the
// jobs do not name their nodes, the most that jobs held at once. It is 0 if the log tells neither. names are the names of the log.
// The error comes from the jobs.
func NodesOf(jobs joblog.Jobs, names *joblog.Names) (int, error) {
	m, err := machineOf(jobs, names)
	if err == nil && m.whole.jobs == 0 { // no job has a start
		jobs, names = given(jobs, names)
		if m, err = namedMachineOf(jobs, names, canRun); err == nil && !m.whole.isNamed() {
			return 0, nil
		}
	}
	if err != nil {
		return 0, err
	}
	return m.size(), nil
}

// canRun reports whether a job can be run again.
func canRun(j *joblog.Job) bool { return j.Problem(0) == "" }

// machineOf returns what the jobs of a log tell of the nodes of its machine. It reads the jobs once if no list names nodes, and at
// most twice otherwise.
func machineOf(jobs joblog.Jobs, names *joblog.Names) (m *machine, err error) {
	jobs, names = given(jobs, names)
	err = inOrder(jobs, func(jobs joblog.Jobs) (err error) {
		if len(names.NodeLists) == 0 { // sizes come from the nodes in use at once
			m = newMachine(names)
			return m.followNodes(jobs, m.add)
		}
		if m, err = namedMachineOf(jobs, names, Waited); err != nil {
			return err
		}
		return m.countPeaks(jobs)
	})
	return m, err
}

// namedMachineOf returns what the jobs of a log that count, and their lists of nodes, tell of the machine. The nodes in use at once
// are not counted yet, see [machine.countPeaks].
func namedMachineOf(jobs joblog.Jobs, names *joblog.Names, counts func(*joblog.Job) bool) (*machine, error) {
	m := newMachine(names)
	for j, err := range jobs {
		if err != nil {
			return nil, err
		}
		if !counts(j) {
			continue
		}
		if err := m.add(j); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// countPeaks finds the largest number of nodes in use at once, on the machine and in each partition, from the jobs that
// were added. It does nothing if lists name the nodes of all jobs, because sizes come from the lists then. The error comes from
// reading the jobs.
func (m *machine) countPeaks(jobs joblog.Jobs) error {
	if m.whole.unnamed == 0 && len(m.whole.nodes) > 0 {
		return nil
	}
	return m.followNodes(jobs, func(*joblog.Job) error { return nil })
}

// followNodes follows the nodes in use on the machine and in each partition. It calls take for each job that [Waited], before it
// follows the nodes of the job. The pool of an occasion is twice the place of the partition, and one more for a job with a list of
// nodes. The error comes from take, or from reading the jobs.
func (m *machine) followNodes(jobs joblog.Jobs, take func(*joblog.Job) error) error {
	s := occasions{pass: m.pass}
	for j, err := range jobs {
		if err != nil {
			return err
		}
		if !Waited(j) {
			continue
		}
		if err := take(j); err != nil {
			return err
		}
		pool := 2 * m.partOf(j)
		list, err := m.lists.of(j)
		if list >= 0 {
			pool++
		}
		if err := cmp.Or(err, s.add(j, pool)); err != nil {
			return err
		}
	}
	s.finish()
	return nil
}

// machine is what the jobs of a log tell of the nodes of its machine and of the nodes of its partitions.
type machine struct {
	whole   part
	parts   []*part
	names   *joblog.Names
	byName  map[string]int32
	byQueue map[queue]int32 // the same places in parts
	recent  [recentQueues]placedQueue
	lists   *nodeNumbers
}

// queue is the number of the partition and of the queue of a job.
type queue struct{ partition, queue int }

// placedQueue is a queue with the place of its partition in the parts of the machine.
type placedQueue struct {
	queue
	known bool
	at    int32
}

// recentQueues is the number of queues whose places are found without a look into a map. Most machines have fewer.
const recentQueues = 16

// part is the nodes of a machine, or of a partition.
type part struct {
	name     string
	jobs     int
	largest  int    // nodes of a job
	held     inUse  // by all jobs
	named    inUse  // by jobs with a list of nodes
	unnamed  int    // jobs without a list of nodes
	seen     []bool // lists of nodes, by their numbers
	nodes    []bool // on which jobs ran, by their numbers
	distinct int    // number of these, or the sum of their sizes
}

// inUse is the nodes in use, now and at most.
type inUse struct{ now, peak int }

// add takes in that so many more nodes are in use.
func (u *inUse) add(change int) {
	u.now += change
	u.peak = max(u.peak, u.now)
}

func newMachine(names *joblog.Names) *machine {
	return &machine{names: names, byName: map[string]int32{}, byQueue: map[queue]int32{},
		lists: newNodeNumbers(names)}
}

// partOf returns the place of the partition of a job.
func (m *machine) partOf(j *joblog.Job) int32 {
	q := queue{j.Partition, j.Queue}
	recent := &m.recent[uint(j.Partition+j.Queue)%recentQueues]
	if recent.known && recent.queue == q {
		return recent.at
	}
	at, known := m.byQueue[q]
	if !known {
		name := m.names.Of(joblog.Partition, j)
		if at, known = m.byName[name]; !known {
			at = int32(len(m.parts))
			m.byName[name] = at
			m.parts = append(m.parts, &part{name: name})
		}
		m.byQueue[q] = at
	}
	*recent = placedQueue{q, true, at}
	return at
}

// add counts a job and its nodes. The error says that its list of nodes cannot be read.
func (m *machine) add(j *joblog.Job) error {
	at := m.partOf(j)
	list, err := m.lists.of(j)
	if err != nil {
		return err
	}
	for _, p := range [...]*part{&m.whole, m.parts[at]} {
		p.jobs++
		p.largest = max(p.largest, mostNodesOf(j))
		if list < 0 {
			p.unnamed++
		} else if p.seen = grown(p.seen, list); !p.seen[list] {
			p.seen[list] = true
			p.addNodes(m.lists, list)
		}
	}
	return nil
}

// addNodes takes in the nodes of a list on which a job ran.
func (p *part) addNodes(numbers *nodeNumbers, list int) {
	for _, n := range numbers.lists[list] {
		if p.nodes = grown(p.nodes, int(n)); !p.nodes[n] {
			p.nodes[n] = true
			p.distinct += numbers.sizes[n]
		}
	}
}

// mostNodesOf returns the most nodes that a job had at once.
func mostNodesOf(j *joblog.Job) int {
	most := j.Nodes()
	for _, p := range j.Pieces {
		most = max(most, p.Nodes)
	}
	return most
}

// grown returns the flags with at least one at place k.
func grown(flags []bool, k int) []bool {
	if k < len(flags) {
		return flags
	}
	return append(flags, make([]bool, k+1-len(flags))...)
}

// pass takes an occasion in, in order of time.
func (m *machine) pass(o occasion) {
	change := o.change()
	at, isNamed := o.pool/2, o.pool%2 == 1 // see [machine.followNodes]
	for _, p := range [...]*part{&m.whole, m.parts[at]} {
		p.held.add(change)
		if isNamed {
			p.named.add(change)
		}
	}
}

// mostUnnamed is the share of jobs without a list of nodes up to which the nodes of a machine are those in the lists of the other
// jobs. Few such jobs, as of damaged lines, hardly ran on nodes where no other job ran.
const mostUnnamed = 0.05

// areNamed reports whether lists name the nodes of so many jobs, all but so few.
func areNamed(jobs, unnamed int) bool { return float64(unnamed) <= mostUnnamed*float64(jobs) }

// isNamed reports whether lists name the nodes of the part.
func (p *part) isNamed() bool { return areNamed(p.jobs, p.unnamed) && len(p.nodes) > 0 }

// size returns the number of nodes of the part. A machine of fewer nodes than a job had cannot have run the job. A job without a list
// may have had nodes that no list names, so the size is no less than what was in use at once. Where jobs share nodes, that may be
// more than there are: then jobs with lists alone had more nodes at once than their lists name.
func (p *part) size() int {
	switch {
	case !p.isNamed():
		return max(p.held.peak, p.largest)
	case p.unnamed > 0 && p.named.peak <= p.distinct:
		return max(p.distinct, p.held.peak, p.largest)
	}
	return max(p.distinct, p.largest)
}

// size returns the number of nodes of the machine.
func (m *machine) size() int { return m.whole.size() }

// shared returns the number of nodes that stand in several partitions.
func (m *machine) shared() (n int) {
	in := make([]int, len(m.lists.sizes))
	for _, p := range m.parts {
		for k, has := range p.nodes {
			if !has {
				continue
			}
			if in[k]++; in[k] == 2 {
				n++
			}
		}
	}
	return n
}
