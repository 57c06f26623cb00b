package points

import (
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
const slurmScript = `#!/bin/bash
#
# %[1]s, in %[2]d jobs of one core each. Made by partwise %[5]s --slurm.
#
#   bash SCRIPT     submits the array, and a job behind it that merges the shards
#   sbatch SCRIPT   submits the array only; after a failure or a time limit submit it again: what is solved is not
#                   solved twice
#
#SBATCH --job-name=%[3]s
#SBATCH --array=1-%[2]d
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output=%[4]s

set -eu

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
	array=$(sbatch --parsable "$0")
	sbatch --job-name=%[3]s-merge --dependency="afterok:${array%%%%;*}" --kill-on-invalid-dep=yes \
		--output=%[3]s-merge.log --wrap=%[7]s
	exit
fi

exec "${PARTWISE:-partwise}" %[6]s \
	--shard "$SLURM_ARRAY_TASK_ID/%[2]d" --workers "${SLURM_CPUS_PER_TASK:-1}" --resume
`

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
