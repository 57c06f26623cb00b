// This file has what the experiments of several papers share: flags, and titles of tables.

package labcmd

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

// mixNames are the names of the workloads of time-shared jobs. mixNamed returns the workload that has a name.
var mixNames, mixNamed = values.ByName("unknown workload", lab.Mixes(), func(m lab.Mix) string { return m.Name })

// titled returns the title of a table of means, with the confidence of their intervals.
func titled(what string, confidence float64) string {
	return fmt.Sprintf("%s; ± half of %s %% intervals", what, words.Shortest(100*confidence))
}

// besideFigure returns an error if the command line gives one of some flags beside --figure: the figure of a paper says
// these things itself.
func besideFigure(inv *cli.Invocation, flags ...string) error {
	if flag := inv.FirstGiven(flags...); inv.Given("figure") && flag != "" {
		return fault.Usagef("leave it out", "--%s beside --figure, which says that itself", flag)
	}
	return nil
}
