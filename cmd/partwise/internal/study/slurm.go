package study

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
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
func (c *run) writeSlurm(inv *cli.Invocation) error {
	target := inv.Output
	solve := append([]string{c.command}, inv.Args...)
	for i := range solve {
		solve[i] = Quoted(solve[i])
	}
	solve = append(solve, "--output", Quoted(target))
	solve = append(solve, repeat(inv, "over", "load", "set", "method", "policy", "fail-fast")...)
	merge := []string{`"${PARTWISE:-partwise}" merge`, Quoted(target+".shard-") + fmt.Sprintf("*-of-%d", c.slurm),
		"--output", Quoted(target)}
	merge = append(merge, repeat(inv, "format", "plot", "panels")...)
	what := strings.Join(strings.Fields(c.layouts[0].Title), " ")
	log := Quoted(strings.ReplaceAll(target, "%", "%%") + ".shard-%a.log")
	inv.Output = ""
	return inv.Write(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, slurmScript, what, c.slurm, jobName(target), log, c.command, strings.Join(solve, " "),
			Quoted(strings.Join(merge, " ")))
		return err
	})
}

// jobName is the name of a file as that of a job.
func jobName(file string) string {
	return "partwise-" + strings.Map(func(r rune) rune {
		if isPlain(r) && r != '/' {
			return r
		}
		return '-'
	}, filepath.Base(file))
}

// repeat returns those of the flags that were given, for a shell.
func repeat(inv *cli.Invocation, names ...string) []string {
	var words []string
	for _, name := range names {
		if !inv.Flags.IsSet(name) {
			continue
		}
		values := inv.Flags.StringSlice(name)
		switch {
		case values != nil:
		case inv.Flags.Bool(name):
			words = append(words, "--"+name)
		default:
			values = []string{inv.Flags.String(name)}
		}
		for _, v := range values {
			words = append(words, "--"+name, Quoted(v))
		}
	}
	return words
}

// Quoted quotes a word for a shell where it must be.
func Quoted(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !isPlain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isPlain reports whether a letter means nothing to a shell.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
}
