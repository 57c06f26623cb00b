package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
)

// Pool is a partition that is a machine of its own: its jobs run on its nodes alone.
type Pool struct {
	Name     string
	Nodes    int
	Jobs     int     // that are chosen
	NodeTime float64 // node-seconds of these jobs
}

// Pools are the partitions of a log, each a machine of its own. Partitions whose nodes overlap are machines of their
// own all the same.
type Pools struct {
	List   []Pool // in the order of their names
	Shared int    // nodes that stand in several partitions

	of []int // the pool of each chosen job, in the order of submission
}

// Nodes returns the sum of the nodes of the pools. A node that stands in several partitions counts several times.
func (p *Pools) Nodes() (sum int) {
	for i := range p.List {
		sum += p.List[i].Nodes
	}
	return sum
}

// Divisible reports whether the number of nodes of each pool is a multiple of the unit. A unit of 0 or 1 divides every
// number.
func (p *Pools) Divisible(unit int) bool {
	return unit <= 1 || !slices.ContainsFunc(p.List, func(pool Pool) bool { return pool.Nodes%unit != 0 })
}

// InPools returns the log with each partition as a machine of its own; l is not changed. A partition has the distinct
// nodes on which the jobs of the whole log ran, also the jobs that are not chosen. Where the log does not name nodes, a
// partition has the most nodes that its jobs held at once.
//
// The error is a *[SettingError] if the log does not record partitions or their nodes, or if a partition has more nodes
// than the machine. It may also come from reading the log, or say that l was not made by [Choose].
func (l *Log) InPools() (*Log, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	found, shared, err := logstats.PoolsOf(l.all, &l.Range.Names)
	if errors.Is(err, logstats.ErrNoPools) {
		return nil, &SettingError{"pool", strings.TrimPrefix(err.Error(), "logstats: ")}
	}
	if err != nil {
		return nil, err
	}
	pools, at := &Pools{Shared: shared}, map[string]int{}
	for i, p := range found {
		if p.Nodes > l.Nodes {
			return nil, &SettingError{"pool", fmt.Sprintf("partition %q of %s has %d nodes, more than the machine has: %d", p.Name, l.Name,
				p.Nodes, l.Nodes)}
		}
		at[p.Name] = i
		pools.List = append(pools.List, Pool{Name: p.Name, Nodes: p.Nodes})
	}
	for j, err := range (Offered{l, 1}).Jobs() {
		if err != nil {
			return nil, err
		}
		name := l.Range.Names.Of(joblog.Partition, j)
		i, known := at[name]
		if !known || j.Nodes() > pools.List[i].Nodes {
			return nil, &SettingError{"pool", fmt.Sprintf("%s does not tell the nodes of partition %q, in which job %d runs", l.Name, name,
				j.ID)}
		}
		p := &pools.List[i]
		p.Jobs++
		p.NodeTime += j.NodeTime()
		pools.of = append(pools.of, i)
	}
	in := *l
	in.Pools = pools
	return &in, nil
}

// Pool returns the log of the jobs of one pool on its nodes, as one machine; the jobs are copied to memory. Pools are
// numbered from 0, as in l.Pools.List. The error is a *[SettingError] if no pool has this number. It may also come
// from reading the log, or from [ChooseList], such as for a pool without jobs, or say that l was not made by [Choose].
func (l *Log) Pool(number int) (*Log, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if l.Pools == nil || number < 0 || number >= len(l.Pools.List) {
		return nil, &SettingError{"pool", fmt.Sprintf("%s has no partition of number %d", l.Name, number)}
	}
	jobs, at := new(joblog.List), 0
	for j, err := range (Offered{l, 1}).Jobs() {
		if err != nil {
			return nil, err
		}
		if l.poolOf(at) == number {
			jobs.Add(j)
		}
		at++
	}
	return ChooseList(jobs, Choice{Name: l.Name, Header: l.Header, Nodes: l.Pools.List[number].Nodes, Unit: l.Unit,
		Range: joblog.Range{Names: l.Range.Names}, Stretch: l.Stretch, Most: l.Most})
}

// poolOf returns the number of the pool, from 0, in which a job runs; 0 without pools. job is its number among the
// chosen jobs, from 0, in the order of submission; a number beyond them panics.
func (l *Log) poolOf(job int) int {
	if l.Pools == nil {
		return 0
	}
	return l.Pools.of[job]
}

// PoolRun is what came of the jobs of one pool.
type PoolRun struct {
	Pool
	Measures metric.Values      // the means over the replications
	Log      *metric.Log        // of the last replication
	Waits    *logstats.Replayed // see [Run.Waits]
}

// WaitingPool returns the number, from 0, of the pool whose jobs wait longest under EASY, summed over its jobs. Among
// pools whose jobs wait equally long, also if no job waits, it is the pool with the most node-time of jobs. It is −1
// without pools. Answers about one machine are about this pool.
func (r *Run) WaitingPool() (pool int) {
	if r == nil {
		return -1
	}
	of := r.Pools
	if r.Baseline != nil {
		of = r.Baseline.Pools
	}
	pool = -1
	most := -1.0
	for i := range of {
		waited := 0.0
		if of[i].Jobs > 0 {
			waited = float64(of[i].Jobs) * of[i].Measures[measure.MeanWaitingTime]
		}
		if waited > most || waited == most && of[i].NodeTime > of[pool].NodeTime {
			pool, most = i, waited
		}
	}
	return pool
}

// RatioInPool returns, for the jobs of pool i, the mean response time under EASY divided by the run's. It is 1, with
// the interval from 1 to 1, for EASY itself, which has no baseline. The interval is made as by [Run.Ratio], from the
// jobs of the pool alone. Its half width is infinite if the pool has fewer than [metric.FewestJobs] jobs. i is an index
// of r.Pools, from 0.
func (r *Run) RatioInPool(i int) metric.Interval {
	if r.Baseline == nil {
		return metric.Interval{Mean: 1, Low: 1, High: 1}
	}
	own, base := &r.Pools[i], &r.Baseline.Pools[i]
	return r.ratioOfLogs(own.Log, base.Log, base.Measures[measure.MeanResponseTime]/own.Measures[measure.MeanResponseTime])
}
