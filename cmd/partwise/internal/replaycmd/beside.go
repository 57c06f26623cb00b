package replaycmd

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/joblog"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
)

// Setting is what is assumed of the jobs of a log, and what is run.
type Setting struct {
	Policies  []string
	Unit      int // of partitions
	Cost      joblog.ResizeCost
	SpeedupAs string // as flags write it
}

// Beside replays a log under policies, EASY among them, as partwise replay does.
func Beside(inv *cli.Invocation, log *joblog.Selection, s Setting) (*cli.Result, error) {
	o := newReplayOptions(inv.Table)
	o.policies, o.unit, o.costs = s.Policies, s.Unit, []joblog.ResizeCost{s.Cost}
	speedup, err := workload.ParseSpeedup(s.SpeedupAs)
	if err != nil {
		return nil, err
	}
	o.speedup = namedSpeedup{speedup, s.SpeedupAs}
	r := &logReplay{replayOptions: o, log: log}
	if r.asked, err = inv.Select("--policy", policy.Machine{Nodes: log.Nodes, Unit: s.Unit}, s.Policies...); err != nil {
		return nil, err
	}
	runs, err := replayAll(inv, r)
	if err != nil {
		return nil, err
	}
	if err := broken(runs); err != nil {
		return nil, err
	}
	return newReplayResult(r, r.shown(runs)), nil
}
