package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
)

// RefuseQueues returns an error if an argument is a queue in Kendall's notation, for commands that compare ways to
// share a machine: a queue has servers, and no other way to share them.
func RefuseQueues(inv *cli.Invocation) error {
	for _, name := range inv.Args {
		if modelfile.IsQueue(name) {
			return fault.Usagef("partwise sweep "+name+" --load 0.1:0.9:0.1 solves the queue at each load, "+
				"with --plot queue.svg in a picture",
				"%s: %s is a queue, and %s compares ways to share a machine", inv.Command, name, inv.Command)
		}
	}
	return nil
}
