package advise

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// MalleableJobs are a share of malleable jobs beside rigid jobs, under EASY backfilling. A malleable job runs on Least to Most times the nodes
// that it asks for.
type MalleableJobs struct {
	Share       float64
	Least, Most float64
	Partition   string // of the batch system, in which the jobs run
	Typical     int    // the nodes for which a typical job asks; 0: unknown
	StartWindow string // the rule for starts by the time of the week, which no system applies; "": jobs start at any time
}

// Percent returns the share in per cent.
func (m *MalleableJobs) Percent() string { return fmt.Sprintf("%g %%", 100*m.Share) }

// MalleableSettings returns the settings of EASY backfilling with malleable jobs on a machine.
func MalleableSettings(jobs MalleableJobs, m policy.Machine, gpus int) *SystemSettings {
	return &SystemSettings{systemNumbers: systemNumbers{Nodes: m.Nodes, Unit: m.Unit, GPUs: gpus, Second: 1, Malleable: &jobs}}
}

// wholeMachine is the partition of malleable jobs on a machine whose partitions share their nodes.
const wholeMachine = "elastic"

// SettingsOfLog returns the settings of malleable jobs on the machine of a log. If partitions of the log are machines of their own, it returns
// settings for each partition with jobs. The log sets Partition and Typical in jobs. unit is the number of nodes by which jobs are resized,
// and gpus the number of GPUs of a node. The error comes from reading the jobs of the log.
func SettingsOfLog(log *replay.Log, jobs MalleableJobs, unit, gpus int) (all []*SystemSettings, err error) {
	if log == nil {
		return nil, errors.New("advise: there is no log")
	}
	add := func(in *replay.Log, partition string) (err error) {
		jobs.Partition = partition
		if jobs.Typical, err = in.MedianSize(); err != nil { // malleable jobs are drawn from all jobs
			return err
		}
		all = append(all, MalleableSettings(jobs, policy.Machine{Nodes: in.Nodes, Unit: unit}, gpus))
		return nil
	}
	if log.Pools == nil {
		err = add(log, wholeMachine)
		return all, err
	}
	for i, p := range log.Pools.List {
		if p.Jobs == 0 {
			continue
		}
		in, err := log.Pool(i)
		if err != nil {
			return nil, err
		}
		if err := add(in, p.Name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Asked returns the nodes that the job of an example asks for: those of a typical job, in multiples of the unit. Where they are unknown it is
// a quarter of the machine, at least one unit.
func (s *systemNumbers) Asked() int {
	if s.Malleable.Typical > 0 {
		return replay.MaxNodes(s.Malleable.Typical, policy.Machine{Nodes: s.Nodes, Unit: s.Unit}, 1)
	}
	return max(s.Nodes/4/s.Unit, 1) * s.Unit
}

// AtLeast returns the fewest nodes of the job of an example.
func (s *systemNumbers) AtLeast() int {
	least := replay.MaxNodes(s.Asked(), policy.Machine{Nodes: s.Nodes, Unit: s.Unit}, s.Malleable.Least)
	return max(least, s.Unit)
}

// AtMost returns the most nodes of the job of an example.
func (s *systemNumbers) AtMost() int {
	most := int(s.Malleable.Most * float64(s.Asked()))
	return max(min(most, s.Nodes)/s.Unit*s.Unit, s.AtLeast())
}

// MalleableWays returns the ways in which malleable jobs under EASY backfilling are carried out, with what limits each. ways.csv has the
// limits of the controller; systems whose jobs no controller resizes have no way.
func MalleableWays() (ways []Way, limits []replay.Limits) {
	for _, w := range Ways(policy.Resize{}, 1, 1) {
		if w.By != controllerAlone && w.By != controllerOnSlurm {
			continue
		}
		ways = append(ways, w)
		limits = append(limits, replay.Limits{Poll: w.Poll, Shrink: w.Shrink, Expand: w.Expand})
	}
	return ways, limits
}

// The controller alone, and on Slurm, as ways.csv names them.
const controllerAlone, controllerOnSlurm = "controller.py", "controller.py, slurm"
