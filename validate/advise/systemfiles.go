package advise

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/partwise/partwise/models/policy"
)

// SystemFile is what a system reads, or runs.
type SystemFile = struct{ Name, Text string }

// SystemSettings are the numbers of a rule on a machine, as systems that people run take them: Slurm, Kueue, torchrun,
// Kubeflow, Ray, Volcano, HPA and KEDA. The files of the systems are templates of the folder systems/files. The file
// systems/carried.csv says which part of a rule each system carries out, exactly or roughly, with the source. A system
// has no setting for the parts that carried.csv does not name; a controller carries these parts out.
type SystemSettings struct {
	systemNumbers
	err error // why there are no files
}

// systemNumbers are the numbers and words that the templates of files name.
type systemNumbers struct {
	Rule   policy.Resize
	Nodes  int // of the machine
	Unit   int // of nodes: the nodes of each job are a multiple of it
	GPUs   int // of a node; 0: none
	Jobs   int // that run at most
	Fewest int // shares of the machine
	Least  int // nodes of a job
	Most   int
	Begin  int     // nodes on which a job starts that no controller resizes: a partition of the best static split
	Second float64 // in the time unit of the rule
	Ladder string  // nodes of a job, of 1, 2, … jobs
	// Malleable, if not nil, are malleable jobs beside rigid jobs under EASY backfilling, in place of the rule and of
	// what follows from it.
	Malleable *MalleableJobs
}

// NewSystemSettings returns the settings of rule r on machine m with gpus GPUs on each node. second is the length of a
// second in the unit of time of the rule. split is the number of partitions of the best static split: jobs that no
// controller resizes start on its nodes.
//
// If the rule does not fit the machine, or second or split is not positive, the settings have no files: their methods
// return an error that says why.
func NewSystemSettings(r policy.Resize, m policy.Machine, gpus int, second float64, split int) *SystemSettings {
	if err := r.Check(m); err != nil {
		return &SystemSettings{err: err}
	}
	if split < 1 || !(second > 0) {
		return &SystemSettings{err: fmt.Errorf("advise: the machine is split into %d partitions, and a second is %v units of time; "+
			"both are positive", split, second)}
	}
	units := m.Partitions()
	jobs, fewest := r.Shares(units, units), r.Shares(1, units)
	return &SystemSettings{systemNumbers: systemNumbers{Rule: r, Nodes: m.Nodes, Unit: m.Unit, GPUs: gpus, Jobs: jobs,
		Fewest: fewest, Least: units / jobs * m.Unit,
		Most: (units + fewest - 1) / fewest * m.Unit, Begin: m.Nodes / split, Second: second, Ladder: ladder(r, m)}}
}

// mostSizes is how many sizes a comment lists.
const mostSizes = 12

// ladder returns the nodes of a share for 1, 2, … jobs, up to the most jobs that run, as text. An example is 64, 32,
// 21-22. More than twelve entries are shortened to the first ten, an ellipsis, and the last.
func ladder(r policy.Resize, m policy.Machine) string {
	var sizes []string
	for _, s := range Steps(r, m) {
		if s.Waiting > 0 {
			break
		}
		text := fmt.Sprint(s.Least)
		if s.Most > s.Least {
			text += "-" + fmt.Sprint(s.Most)
		}
		sizes = append(sizes, text)
	}
	if n := len(sizes); n > mostSizes {
		sizes = append(sizes[:mostSizes-2], "...", sizes[n-1])
	}
	return strings.Join(sizes, ", ")
}

// Seconds returns the cooldown, in seconds.
func (s *systemNumbers) Seconds() float64 { return s.Rule.Cooldown / s.Second }

// Cooldown returns the cooldown rounded to whole seconds, as settings of systems take it.
func (s *systemNumbers) Cooldown() int { return int(math.Round(s.Seconds())) }

// Workers returns the number of worker processes on a node: one for each GPU, or one without GPUs.
func (s *systemNumbers) Workers() int { return max(1, s.GPUs) }

// Processes returns the number of worker processes on a node as the option of torchrun: the number of GPUs or, without
// GPUs, "auto", by which torchrun counts the CPUs.
func (s *systemNumbers) Processes() string {
	if s.GPUs == 0 {
		return "auto"
	}
	return fmt.Sprint(s.GPUs)
}

// part is a part of a rule with its words; some rules have only some parts.
type part struct {
	name, words string
	has         bool
}

// parts returns the parts of a rule, such as cap and cooldown. Each has its words for comments in files, and whether
// the rule has the part. The list and its order are the same for every rule.
func (s *systemNumbers) parts() []part {
	r := s.Rule
	return []part{
		{"shares", fmt.Sprintf("equal shares, in multiples of %d", s.Unit), true},
		{"least", fmt.Sprintf("the fewest nodes of a job, %d", s.Least), true},
		{"largest", fmt.Sprintf("the most nodes of a job, %d", s.Most), true},
		{"cap", fmt.Sprintf("at most %d jobs", r.Cap), r.Cap > 0},
		{"cooldown", fmt.Sprintf("the cooldown of %d s", s.Cooldown()), r.Cooldown > 0},
		{"hysteresis", fmt.Sprintf("the hysteresis, a factor of %g", r.Hysteresis), r.Hysteresis > 0},
		{"batch", fmt.Sprintf("no resize before %d changes", r.Batch), r.Batch > 0},
		{"wait", fmt.Sprintf("no smaller jobs unless %d wait", r.Wait), r.Wait > 0},
		{"on", "resizes when a job ends, not when one comes", r.Departures},
	}
}

// carry says how a system carries a part of a rule out.
type carry struct{ grade, how, left string }

var (
	//go:embed systems/carried.csv
	carriedTable string
	//go:embed systems/ways.csv
	waysTable string
	//go:embed systems/files/*
	systemFiles embed.FS

	// systemOrder lists the files in their order, and carried says what is known of their systems, by system and part.
	systemOrder = []string{"slurm.sh", "kueue.yaml", "torchrun.sh", "kubeflow.yaml", "ray.yaml", "volcano.yaml", "hpa.yaml", "keda.yaml"}
	carried     = readCarried()
)

// systemOf returns the name of the system that a file is for: the name of the file without its extension.
func systemOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// readCarried returns the rows of carried.csv by system and part of a rule. It panics if the table, which is part of
// the program, cannot be read.
func readCarried() map[[2]string]carry {
	all := map[[2]string]carry{}
	for _, row := range rowsOf(carriedTable) {
		all[[2]string{row[0], row[1]}] = carry{row[2], row[3], row[4]}
	}
	return all
}

// rowsOf returns the rows of a table in CSV without its first row, the heads. It panics if the table, which is part of
// the program, cannot be read.
func rowsOf(table string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("advise: a table is wrong: " + err.Error()) // it is part of the program
	}
	return rows[1:]
}

// note returns the comment, beginning with "#~ ", on a part of the rule in the file of a system. It says in words what
// the part is, how the system carries it out, and what is left to the user. The error says that carried.csv does not
// have the system and part; templates call it.
func (s *systemNumbers) note(system, name string) (string, error) {
	c, known := carried[[2]string{system, name}]
	for _, p := range s.parts() {
		if p.name != name || !known {
			continue
		}
		text := fmt.Sprintf("#~ %s: %s; %s.", p.words, c.grade, c.how)
		if c.left != "" {
			text += " Left to you: " + c.left + "."
		}
		return text, nil
	}
	return "", fmt.Errorf("advise: carried.csv does not say how %s carries out %q", system, name)
}

// absent returns a comment, without "#", for each part of the rule for which a system has no setting. Templates write
// them into its file.
func (s *systemNumbers) absent(system string) []string {
	var all []string
	for _, p := range s.parts() {
		if _, known := carried[[2]string{system, p.name}]; p.has && !known {
			all = append(all, "NOT IN THIS FILE: "+strings.ToLower(p.words[:1])+p.words[1:]+".")
		}
	}
	return all
}

// Poll returns the time between two looks of the controller at the queue, in seconds.
func (*systemNumbers) Poll() int { return ControllerPoll }

// Controller returns the program controller.py, which carries out the whole rule. The error says that there are no
// settings, or why they have no files.
func (s *SystemSettings) Controller() (SystemFile, error) {
	if s == nil {
		return SystemFile{}, errNoSettings
	}
	return s.fill("controller.py")
}

// errNoSettings says that there are no settings to write files of.
var errNoSettings = errors.New("advise: there are no settings to write files of")

// Files returns the files of all systems. Their comments say of each number which part of the rule it carries out. For
// malleable jobs beside rigid jobs Files returns the file of Slurm alone, because the other systems know no backfilling
// by time limits. The error says that there are no settings, or why they have no files.
func (s *SystemSettings) Files() ([]SystemFile, error) {
	if s == nil {
		return nil, errNoSettings
	}
	if s.Malleable != nil {
		file, err := s.fill("malleable.sh")
		return []SystemFile{{Name: "slurm.sh", Text: file.Text}}, err
	}
	var all []SystemFile
	for _, name := range systemOrder {
		file, err := s.fill(name)
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	return all, nil
}

// fill returns the file that the template with a name, in systems/files, makes of the settings. Notes become wrapped
// comments. The error is s.err, or comes from the template.
func (s *SystemSettings) fill(name string) (f SystemFile, err error) {
	if s.err != nil {
		return f, s.err
	}
	system := systemOf(name)
	t, err := template.New(name).Funcs(template.FuncMap{
		"note":   func(part string) (string, error) { return s.note(system, part) },
		"absent": func() []string { return s.absent(system) },
		"mul":    func(a, b int) int { return a * b },
		"behavior": func(in string, factor float64, grows bool) behavior {
			return behavior{&s.systemNumbers, in, factor, grows}
		},
		"in": func(in string) behavior { return behavior{&s.systemNumbers, in, 0, false} },
	}).ParseFS(systemFiles, "systems/files/shared.tmpl", "systems/files/rule.py", "systems/files/malleable.py", "systems/files/"+name)
	if err != nil {
		return f, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, &s.systemNumbers)
	return SystemFile{name, indentNotes(out.String())}, err
}

// behavior is what an autoscaler does in one direction: it acts on changes of the nodes by more than the tolerance.
type behavior struct {
	*systemNumbers
	Indent    string
	Tolerance float64
	Grows     bool
}

// Up returns the tolerance of growth of an autoscaler: by which share the wanted nodes may exceed the present nodes. It
// is the factor of the hysteresis minus 1, rounded by [thousandths].
func (s *systemNumbers) Up() float64 { return thousandths(max(1, s.Rule.Hysteresis) - 1) }

// Down returns the tolerance of shrinking of an autoscaler: by which share the wanted nodes may fall below the present
// nodes. It is 1 − 1/factor, with the factor of the hysteresis, rounded by [thousandths].
func (s *systemNumbers) Down() float64 { return thousandths(1 - 1/max(1, s.Rule.Hysteresis)) }

// thousandths returns the largest multiple of 0.001 that is less than v, at least 0. A Quantity of Kubernetes holds
// thousandths without loss. It is less than v, because an autoscaler does nothing at the tolerance itself, where the
// rule divides.
func thousandths(v float64) float64 { return max(0, math.Ceil(1000*v-1e-9)-1) / 1000 }

// query is a trigger of KEDA: its name in the formula, and its query to Prometheus.
type query struct{ Name, Text string }

// Queries returns the queries to Prometheus whose results the formula of KEDA combines: the wanted nodes and, if the
// rule has Wait, the nodes that workers hold and the number of waiting jobs. Kueue does not count these jobs, because
// they have no queue of Kueue: controller.py starts them, and offers their number.
func (s *systemNumbers) Queries() []query {
	all := []query{{"wanted", `max(wanted_nodes{name="elastic"})`}}
	if s.Rule.Wait > 0 {
		all = append(all, query{"held", `count(kube_pod_info{pod=~"elastic-worker-.*"})`},
			query{"waiting", `max(waiting_jobs)`})
	}
	return all
}

// commentWidth is the length of the lines of comments.
const commentWidth = 120

// indentNotes returns text with the lines that begin with "#~ " turned into comments. A comment is indented like the
// line after it, begins with a capital letter, and is wrapped at 120 characters.
func indentNotes(text string) string {
	lines := strings.Split(text, "\n")
	indent := ""
	for i, text := range slices.Backward(lines) {
		note, is := strings.CutPrefix(text, "#~ ")
		if !is {
			indent = text[:len(text)-len(strings.TrimLeft(text, " "))]
			continue
		}
		prefix := indent + "# "
		var wrapped []string
		line := prefix + strings.ToUpper(note[:1]) + note[1:]
		for len([]rune(line)) > commentWidth {
			cut := strings.LastIndex(line[:commentWidth+1], " ")
			wrapped, line = append(wrapped, line[:cut]), prefix+"  "+line[cut+1:]
		}
		lines[i] = strings.Join(append(wrapped, line), "\n")
	}
	return strings.Join(lines, "\n")
}
