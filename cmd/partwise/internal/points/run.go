// Package points solves the points of studies: every series at every load, in a journal that outlives an interruption.
//
// Flags and study files become a [Run]: a plan of points with everything that their results depend on. Each solved point
// is a record in a journal. The records become the points of a [Study], whichever process solved them, and a [View] lays
// the points out. A point that is read from its record equals the point that was written to the last bit: a result does
// not depend on what was interrupted, resumed or divided into shards.
package points

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/sweep"
)

// journalEnding is added to the name of a result to name its journal.
const journalEnding = ".journal"

// hasJournal reports whether there is a journal: where the output is a file, not a stream or a device.
func hasJournal(inv *cli.Invocation) bool {
	return inv.Output != "" && output.Replaced(inv.Output)
}

// Run solves the points of studies, and remembers them in a journal if its output is a file.
type Run struct {
	*Options
	Studies []*modelfile.Study
	config  []sweep.Setting
}

// NewRun reads the study files of a command with the changes of the flags, and notes all that results will depend on.
func NewRun(inv *cli.Invocation, o *Options) (*Run, error) {
	r := &Run{Options: o}
	for _, name := range inv.Args {
		study, err := input.LoadStudy(inv, name, o.changes()...)
		if err != nil {
			return nil, err
		}
		if err := r.checkLoads(inv, study); err != nil {
			return nil, err
		}
		r.Studies = append(r.Studies, study)
	}
	return r, r.configure(inv)
}

// checkLoads returns an error if a study varies the load of its models, and its points have loads of their own, which would
// replace it. It warns if a study varies the rate of the arrivals, or --set changes it, and a load rescales them. A sweep takes
// the loads of the models unless somebody says otherwise; a curve always has loads of its own.
func (r *Run) checkLoads(inv *cli.Invocation, study *modelfile.Study) error {
	hasLoads := !study.NoLoads || inv.Command != "sweep"
	for _, s := range r.sets {
		if hasLoads && modelfile.IsRate(s.Path) {
			inv.Warnf("%s: --set %v changes nothing: the loads at which it is solved rescale the arrivals", study.File, s)
		}
	}
	axis, ok := study.Rescaled(hasLoads)
	switch {
	case ok && axis.Path == input.LoadPath:
		return fault.Usagef("partwise sweep "+inv.Args[0]+" --load "+strings.Join(axis.Values, ","),
			"%s: the loads at which it is solved replace the values of --over %s", study.File, axis.Path)
	case ok:
		inv.Warnf("%s: a load rescales the arrivals: all values of --over %s give the same results", study.File, axis.Path)
	}
	return nil
}

// configure says what the results depend on: the flags, what the files say, and what solves them.
func (r *Run) configure(inv *cli.Invocation) error {
	set := func(name, value string) { r.config = append(r.config, sweep.Setting{Name: name, Value: value}) }
	for _, s := range r.sets {
		set("--set "+s.Path, s.Value)
	}
	for _, p := range r.over {
		flag, values, _ := strings.Cut(p.Flag, "=")
		set(flag, values)
	}
	if r.loads != nil {
		set("--load", *r.loads)
	}
	inputs, err := sweep.Inputs(r.Studies...)
	if err != nil {
		return err
	}
	r.config = append(r.config, inputs...)
	for _, text := range r.Policies {
		set("--policy "+text, "asked for")
	}
	set("command", inv.Command)
	set("studies", fmt.Sprint(len(r.Studies)))
	set("--method", r.settings.Method)
	set("version of partwise", release.Version())
	set("arithmetic", markov.Arithmetic())
	if hasJournal(inv) && !release.IsReleased() {
		build, err := output.ProgramSum()
		if err != nil {
			return err
		}
		set("build", build)
	}
	return nil
}
