package modelcmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/metric"
	"github.com/partwise/partwise/validate/study"
)

// fromLogExample is the example that a log may follow.
const fromLogExample = "from-log"

// initOptions are the flags of init, all of which say what is made of a log.
type initOptions struct {
	input.LogOptions
	input.Assuming
}

func newInitOptions() *initOptions {
	o := &initOptions{Assuming: input.NewAssuming()}
	o.Unit, o.UnitWords = 0, "such that at most 16 jobs share the machine" // see study.DivisionOf
	return o
}

// Flags binds the flags.
func (o *initOptions) Flags() []cli.Flag {
	return append(append(o.MachineFlags(), o.Assuming.Flags("")...), o.FactorFlags()[1], input.FlatCost(&o.Cost))
}

// fromLog prints the model of the jobs of a log.
func fromLog(inv *cli.Invocation, o *initOptions, path string) error {
	log, err := o.Select(inv, path)
	if err != nil {
		return err
	}
	list, err := log.List(0)
	if err != nil {
		return err
	}
	log.WarnSkipped()
	log.WarnOverload()
	if n := list.Len(); n < metric.FewestJobs {
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		inv.Warnf("%s: %s %s too few for a model: those of another time may look quite different; take %d or more", log.Name,
			words.Count(n, "job"), verb, metric.FewestJobs)
	}
	draft, err := study.NewDraft(inv.Context, list, policy.Machine{Nodes: log.Nodes, Unit: o.Unit}, o.Assumptions, inv.Memory)
	if failed := (*study.DivisionError)(nil); errors.As(err, &failed) || errors.Is(err, study.ErrOneNode) {
		return noDivision(log.Nodes, failed, err)
	}
	if errors.As(err, new(*fit.SampleError)) || errors.As(err, new(*workload.DataError)) {
		return fault.Hint(fault.ExitInput,
			"a model is fitted to jobs that came at different times; partwise replay runs a log of any length",
			fmt.Errorf("%s: %s", path, fault.Plain(err)))
	}
	if err != nil {
		return input.Misfit(err)
	}
	var text strings.Builder
	if err := input.WriteDraft(&text, draft, filepath.Base(path), inv.Output, fittedFile(inv, log, path)); err != nil {
		return err
	}
	return printModel(inv, text.String())
}

// noDivision says how to divide the nodes where no unit was found. failed is nil for a machine of one node.
func noDivision(nodes int, failed *study.DivisionError, err error) error {
	switch {
	case failed == nil:
		return fault.Usagef("say with --nodes how many the machine has", "--nodes: %s", fault.Plain(err))
	case failed.Stable > 0:
		return fault.Usagef(fmt.Sprintf("for example --min-nodes %d, for a larger chain", failed.Stable), "--min-nodes: %s", fault.Plain(err))
	}
	return fault.Usagef(fmt.Sprintf("for example --nodes %d, or --min-nodes 1", nodes-1), "--nodes: %s", fault.Plain(err)) // an odd number
}

// fittedFile returns the name of the log if a fit to the file alone is a fit to the same jobs; otherwise "", and says
// so. A fit knows no flags of reading, and takes the times between all submissions, also those of jobs that were left
// out.
func fittedFile(inv *cli.Invocation, log *input.Selection, path string) string {
	why := "jobs of it were left out"
	if flag := inv.FirstGiven("unit-of-allocation", "fields", "log-format", "time-zone"); flag != "" {
		why = "it was read with --" + flag
	} else if len(log.Skipped) == 0 {
		return path
	}
	inv.Notef("%s: the model has the fitted numbers and does not name the log, because %s", log.Name, why)
	return ""
}
