package advise

import (
	"errors"
	"fmt"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// MalleableJobs are a share of malleable jobs beside rigid jobs, under EASY backfilling. A malleable job runs on Least
// to Most times the nodes that it asks for.
type MalleableJobs struct {
	Share       float64
	Least, Most float64
	Partition   string // of the batch system, in which the jobs run
	Typical     int    // the nodes for which a typical job asks; 0: unknown
	StartWindow string // the rule for starts by the time of the week, which no system applies; "": jobs start at any time
}

// Percent returns the share of malleable jobs as text in per cent, such as 20 %, for comments in files.
func (m *MalleableJobs) Percent() string { return fmt.Sprintf("%g %%", 100*m.Share) }

// MalleableSettings returns the settings of EASY backfilling with malleable jobs beside rigid jobs, on machine m with
// gpus GPUs on each node. Times are in seconds. [SystemSettings.Files] and [SystemSettings.Controller] make the files
// of these settings.
func MalleableSettings(jobs MalleableJobs, m policy.Machine, gpus int) *SystemSettings {
	return &SystemSettings{systemNumbers: systemNumbers{Nodes: m.Nodes, Unit: m.Unit, GPUs: gpus, Second: 1, Malleable: &jobs}}
}

// wholeMachine is the partition of malleable jobs on a machine whose partitions share their nodes.
const wholeMachine = "elastic"

// SettingsOfLog returns the settings of malleable jobs on the machine of a log. If partitions of the log are machines
// of their own, it returns settings for each partition with jobs, in their order. The log sets Partition and Typical in
// the copies of jobs. unit is the number of nodes by which jobs are resized, and gpus the number of GPUs of a node.
//
// The error comes from reading the jobs of the log, or says that there is no log.
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

// Asked returns the number of nodes for which the example job of a file asks. It is the number of a typical job,
// rounded up to the unit and at most all nodes. If this is unknown, it is a quarter of the machine, rounded down to the
// unit, at least one unit. s.Malleable must be set.
func (s *systemNumbers) Asked() int {
	if s.Malleable.Typical > 0 {
		return replay.MaxNodes(s.Malleable.Typical, policy.Machine{Nodes: s.Nodes, Unit: s.Unit}, 1)
	}
	return max(s.Nodes/4/s.Unit, 1) * s.Unit
}

// AtLeast returns the fewest nodes on which the example job of a file runs: s.Asked() multiplied by Least of the
// malleable jobs, rounded up to the unit. s.Malleable must be set.
func (s *systemNumbers) AtLeast() int {
	least := replay.MaxNodes(s.Asked(), policy.Machine{Nodes: s.Nodes, Unit: s.Unit}, s.Malleable.Least)
	return max(least, s.Unit)
}

// AtMost returns the most nodes on which the example job of a file runs: s.Asked() multiplied by Most of the malleable
// jobs, rounded down to the unit. It is at most all nodes, and at least s.AtLeast(). s.Malleable must be set.
func (s *systemNumbers) AtMost() int {
	most := int(s.Malleable.Most * float64(s.Asked()))
	return max(min(most, s.Nodes)/s.Unit*s.Unit, s.AtLeast())
}

// MalleableWays returns the ways in which systems resize malleable jobs under EASY backfilling, and the limits of each
// way for replays, in the same order. Only the controller resizes such jobs, alone or on Slurm; its limits stand in
// ways.csv. Times are in seconds.
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
