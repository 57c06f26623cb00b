package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// UsuallyLost is the share of the node-seconds of a log, or of its jobs for a fit, that may be left out unless a flag allows more.
const UsuallyLost = 0.05

// mostLost returns the share of the node-seconds of a log that may be left out, 0 for any share.
func (r *Reading) mostLost() float64 {
	if r.allowSkipped {
		return 0
	}
	return UsuallyLost
}

// CheckLost returns an error if jobs that cannot be run on a machine held too large a share of the node-seconds of a log.
func (r *Reading) CheckLost(path string, log *joblog.Log, nodes int) error {
	_, err := replay.ChooseList(joblog.ListOf(log.Jobs), replay.Choice{Name: cli.NameOf(path), Nodes: nodes, MostLost: r.mostLost(), Lost: log.Lost})
	return WithRemedy(err)
}
