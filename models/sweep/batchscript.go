package sweep

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/partwise/partwise/models/words"
)

// Script describes a file for a batch system. The batch system solves the points of studies in shards, one in each job or pod,
// and merges the shards. Flags and MergeFlags are already quoted for a shell; [Script.Write] quotes the other fields.
type Script struct {
	System  string // slurm for an array of jobs, or kubernetes for a Job with pods
	Title   string // one line that says what is solved
	Command string // the command of the program that solves the points, such as sweep
	Files   []string
	Flags   []string
	// Output is the file of the merged result. The files of the shards have names that begin with it.
	Output     string
	MergeFlags []string // flags of the command merge
	Count      int      // number of shards
}

var (
	//go:embed slurm.sh
	slurmScript string
	//go:embed kubernetes.yaml
	kubernetesScript string
)

// tasks holds the fields of the templates of scripts. Log, Program, Solve, Shards and Merge are quoted for a shell.
type tasks struct {
	What    string // the title
	Command string
	Count   int    // number of shards
	Name    string // name of the job
	Log     string // file of a job's output, as a pattern of Slurm
	Program string // the program: the environment variable PARTWISE, or partwise if it is not set
	Solve   string // the command that solves a shard, without the program, the shard and the number of workers
	Shards  string // pattern that matches the files of the shards
	Merge   string // the command that merges the shards, without the program
}

// Write writes the script to w. The error comes from w, or says that the batch system is unknown or that s is nil.
func (s *Script) Write(w io.Writer) error {
	if s == nil {
		return errors.New("sweep: no script is given")
	}
	text, known := map[string]string{"slurm": slurmScript, "kubernetes": kubernetesScript}[s.System]
	if !known {
		return fmt.Errorf("sweep: unknown batch system %q; use slurm or kubernetes", s.System)
	}
	solve := append(words.Texts(append([]string{s.Command}, s.Files...), words.Quoted), "--output", words.Quoted(s.Output))
	shards := words.Quoted(s.Output+".shard-") + fmt.Sprintf("*-of-%d", s.Count)
	merge := append([]string{"merge", shards, "--output", words.Quoted(s.Output)}, s.MergeFlags...)
	t, err := template.New(s.System).Funcs(template.FuncMap{"quoted": words.Quoted, "expanded": expanded}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(w, tasks{What: s.Title, Command: s.Command, Count: s.Count, Name: jobName(s.Output),
		Log:     words.Quoted(strings.ReplaceAll(s.Output, "%", "%%") + ".shard-%a.log"),
		Program: `"${PARTWISE:-partwise}"`, Solve: strings.Join(append(solve, s.Flags...), " "), Shards: shards,
		Merge: strings.Join(merge, " ")})
}

// mostLabel is the largest length of the name of a job. The names of its pods are longer, and may have 63 letters.
const mostLabel = 50

// jobName returns a name for a job, made from the name of a file. It is a label of DNS, as Kubernetes requires: lower-case
// letters and digits, with "-" for all other characters. It begins with partwise- and has at most mostLabel letters.
func jobName(file string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, "partwise-"+strings.ToLower(filepath.Base(file)))
	return strings.TrimRight(name[:min(len(name), mostLabel)], "-")
}

// expanded returns words with each $ doubled. Kubernetes expands $(NAME) in arguments and reads $$ as $. With doubled
// $, the shell gets the words unchanged.
func expanded(words string) string { return strings.ReplaceAll(words, "$", "$$") }
