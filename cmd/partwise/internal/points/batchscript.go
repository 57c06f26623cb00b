package points

import (
	_ "embed"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/sweep"
)

// script is a batch system whose script solves the points in shards.
type script struct{ flag, usage string }

var scripts = []script{
	{"slurm", "print a Slurm script that solves the points in `N` jobs"},
	{"kubernetes", "print a Job of Kubernetes that solves the points in `N` pods"},
}

// mostTasks bounds the jobs of an array, and the pods of a job.
const mostTasks = 10_000

// writeScript writes the script of --slurm or --kubernetes, by which a batch system solves the points in shards and merges
// them.
func (r *Run) writeScript(inv *cli.Invocation) error {
	target := inv.Output
	for _, name := range append([]string{target}, inv.Args...) {
		if strings.HasPrefix(name, "-") || output.Line(name) != name {
			return fault.Usagef("rename it, or write ./ before it",
				"--%s: the name %q begins with - or holds characters that are not seen: a script would not read it", r.script.flag, name)
		}
	}
	of := sweep.Script{System: r.script.flag, Title: output.Line(strings.Join(strings.Fields(r.Studies[0].Title), " ")),
		Command: inv.Command,
		Files:   inv.Args, Flags: inv.Repeat("over", "load", "set", "method", "policy"), Output: target,
		MergeFlags: inv.Repeat("format", "plot", "panels"), Count: r.tasks}
	inv.Output = ""
	return inv.Write(of.Write)
}
