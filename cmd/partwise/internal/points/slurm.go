package points

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/escape"
)

// mostTasks bounds the jobs of an array.
const mostTasks = 10_000

// slurmScript is a job script with places for what is solved, the number of jobs, the name of the job, the file of the
// result as a pattern, the command, and the command that merges.
//
//go:embed slurm.sh
var slurmScript string

// writeSlurm prints a script that solves the points in jobs of an array, a shard each.
func (r *Run) writeSlurm(inv *cli.Invocation) error {
	target := inv.Output
	for _, name := range append([]string{target}, inv.Args...) {
		if strings.HasPrefix(name, "-") || escape.Line(name) != name {
			return cli.Usagef("rename it, or write ./ before it",
				"--slurm: the name %q begins with - or holds characters that are not seen: a script would not read it", name)
		}
	}
	solve := append([]string{inv.Command}, inv.Args...)
	for i := range solve {
		solve[i] = cli.Quoted(solve[i])
	}
	solve = append(solve, "--output", cli.Quoted(target))
	solve = append(solve, inv.Repeat("over", "load", "set", "method", "policy", "fail-fast")...)
	merge := []string{`"${PARTWISE:-partwise}" merge`, cli.Quoted(target+".shard-") + fmt.Sprintf("*-of-%d", r.slurm),
		"--output", cli.Quoted(target)}
	merge = append(merge, inv.Repeat("format", "plot", "panels")...)
	what := escape.Line(strings.Join(strings.Fields(r.Studies[0].Title), " "))
	log := cli.Quoted(strings.ReplaceAll(target, "%", "%%") + ".shard-%a.log")
	inv.Output = ""
	return inv.Write(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, slurmScript, what, r.slurm, jobName(target), log, inv.Command, strings.Join(solve, " "),
			cli.Quoted(strings.Join(merge, " ")))
		return err
	})
}

// jobName is the name of a file as that of a job.
func jobName(file string) string {
	return "partwise-" + strings.Map(func(r rune) rune {
		if cli.IsPlain(r) && r != '/' {
			return r
		}
		return '-'
	}, filepath.Base(file))
}
