package points

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
)

// slurmScript is a template of tasks: it makes Slurm solve the points, a shard in each job, and merge the shards.
//
//go:embed slurm.sh
var slurmScript string

// mostTasks bounds the jobs of an array.
const mostTasks = 10_000

// tasks is what a script says of the points. Solve, Shards and Merge are words of a shell.
type tasks struct {
	What    string // the title of what is solved
	Command string
	Count   int
	Name    string // of the job
	Log     string // the file of a job's output, as a pattern of Slurm
	Program string // partwise, or what stands for it in the environment
	Solve   string // the command without the program, the shard and the number of workers
	Shards  string // a pattern of the files of the shards
	Merge   string // the command that merges the shards, without the program
}

// writeScript prints the script for Slurm.
func (r *Run) writeScript(inv *cli.Invocation) error {
	target := inv.Output
	for _, name := range append([]string{target}, inv.Args...) {
		if strings.HasPrefix(name, "-") || output.Line(name) != name {
			return cli.Usagef("rename it, or write ./ before it",
				"--slurm: the name %q begins with - or holds characters that are not seen: a script would not read it", name)
		}
	}
	solve := append(modelfile.Texts(append([]string{inv.Command}, inv.Args...), cli.Quoted), "--output", cli.Quoted(target))
	solve = append(solve, inv.Repeat("over", "load", "set", "method", "policy", "fail-fast")...)
	shards := cli.Quoted(target+".shard-") + fmt.Sprintf("*-of-%d", r.slurm)
	merge := append([]string{"merge", shards, "--output", cli.Quoted(target)}, inv.Repeat("format", "plot", "panels")...)
	t, err := template.New("slurm").Funcs(template.FuncMap{"quoted": cli.Quoted}).Parse(slurmScript)
	if err != nil {
		return err
	}
	of := tasks{What: output.Line(strings.Join(strings.Fields(r.Studies[0].Title), " ")), Command: inv.Command, Count: r.slurm,
		Name: jobName(target), Log: cli.Quoted(strings.ReplaceAll(target, "%", "%%") + ".shard-%a.log"),
		Program: `"${PARTWISE:-partwise}"`, Solve: strings.Join(solve, " "), Shards: shards, Merge: strings.Join(merge, " ")}
	inv.Output = ""
	return inv.Write(func(w io.Writer) error { return t.Execute(w, of) })
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
