package input

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
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
	list := joblog.ListOf(log.Jobs)
	_, err := replay.ChooseList(list, replay.Choice{Name: cli.NameOf(path), Nodes: nodes, MostLost: r.mostLost(), Lost: log.Lost})
	return lostRemedy(err, log, list.All(), nodes)
}

// severalMachines is a factor. A job that asks for more than so many times the machine in the header does not ask for nodes.
const severalMachines = 4

// lostRemedy adds what can be done to the error of a log whose jobs cannot be run on so many nodes.
func lostRemedy(err error, log *joblog.Log, jobs joblog.Jobs, nodes int) error {
	if !errors.Is(err, replay.ErrLost) {
		return WithRemedy(err)
	}
	largest, failed := logstats.LargestJob(jobs)
	if failed != nil {
		return failed
	}
	var ways []string
	switch told := log.Header.Size(); {
	case told > 0 && largest > severalMachines*told:
		ways = append(ways, fmt.Sprintf("check the order of the columns (a job asks for %s nodes, and the header gives the machine %s)",
			words.Whole(largest), words.Whole(told)))
	case largest > nodes:
		ways = append(ways, fmt.Sprintf("give the machine all its --nodes (a job asks for %s)", words.Whole(largest)))
	}
	if log.Lost.Lines > 0 {
		ways = append(ways, fmt.Sprintf("correct the lines, which are read as %s (--log-format reads another format)", log.Format))
	}
	return fault.Hint(fault.ExitInput, strings.Join(append(ways, "leave the jobs out with --allow-skipped"), ", or "), err)
}
