package sweep

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/partwise/partwise/models/words"
)

// Script is a file that makes a batch system solve points, a shard in each job or pod, and merge the shards. All words are as users write
// them, but for Flags and MergeFlags, which are words of a shell.
type Script struct {
	System  string // slurm: an array of jobs; kubernetes: a Job with pods
	Title   string // of what is solved, in one line
	Command string // of the program, that solves the points
	Files   []string
	Flags   []string
	// Output is the file of the merged result. Each shard has a file beside it.
	Output     string
	MergeFlags []string
	Count      int // of the shards
}

var (
	//go:embed slurm.sh
	slurmScript string
	//go:embed kubernetes.yaml
	kubernetesScript string
)

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

// Write writes the file. The error is that of w, or says that the batch system is unknown.
func (s *Script) Write(w io.Writer) error {
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
		Program: `"${PARTWISE:-partwise}"`, Solve: strings.Join(append(solve, s.Flags...), " "), Shards: shards, Merge: strings.Join(merge, " ")})
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
