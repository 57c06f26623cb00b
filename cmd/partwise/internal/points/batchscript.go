package points

import (
	_ "embed"
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// script is a file that makes a batch system solve the points, a shard in each job or pod, and merge the shards.
type script struct {
	flag, usage string
	text        string // a template of tasks
}

var (
	//go:embed slurm.sh
	slurmScript string
	//go:embed kubernetes.yaml
	kubernetesScript string

	scripts = []script{
		{"slurm", "print a Slurm script that solves the points in `N` jobs", slurmScript},
		{"kubernetes", "print a Job of Kubernetes that solves the points in `N` pods", kubernetesScript},
	}
)

// mostTasks bounds the jobs of an array, and the pods of a job.
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
	solve := append(words.Texts(append([]string{inv.Command}, inv.Args...), output.Quoted), "--output", output.Quoted(target))
	solve = append(solve, inv.Repeat("over", "load", "set", "method", "policy")...)
	shards := output.Quoted(target+".shard-") + fmt.Sprintf("*-of-%d", r.tasks)
	merge := append([]string{"merge", shards, "--output", output.Quoted(target)}, inv.Repeat("format", "plot", "panels")...)
	t, err := template.New(r.script.flag).Funcs(template.FuncMap{"quoted": output.Quoted, "expanded": expanded}).Parse(r.script.text)
	if err != nil {
		return err
	}
	of := tasks{What: output.Line(strings.Join(strings.Fields(r.Studies[0].Title), " ")), Command: inv.Command, Count: r.tasks,
		Name: jobName(target), Log: output.Quoted(strings.ReplaceAll(target, "%", "%%") + ".shard-%a.log"),
		Program: `"${PARTWISE:-partwise}"`, Solve: strings.Join(solve, " "), Shards: shards, Merge: strings.Join(merge, " ")}
	inv.Output = ""
	return inv.Write(func(w io.Writer) error { return t.Execute(w, of) })
}

// mostLabel is the length of the names of jobs whose pods have names of at most 63 letters.
const mostLabel = 50

// jobName is the name of a file as that of a job: a label of DNS, as Kubernetes takes it, of small letters, digits and, between
// them, "-".
func jobName(file string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, "partwise-"+strings.ToLower(filepath.Base(file)))
	return strings.TrimRight(name[:min(len(name), mostLabel)], "-")
}

// expanded writes words so that Kubernetes, which expands $(NAME) in arguments and reads $$ as $, gives them to the shell
// as they are.
func expanded(words string) string { return strings.ReplaceAll(words, "$", "$$") }
