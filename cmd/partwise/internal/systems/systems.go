// Package systems writes what makes systems that people run give jobs what a rule gives them: a file for each of Slurm,
// Kueue, torchrun, Kubeflow, Ray, Volcano, HPA and KEDA, and a controller for what they have no setting for.
//
//	policy.Resize → Settings → Files, Controller
//	                         → Ways, Each → advise.Loss: what the rule loses by its limits on systems
//
// carried.csv says which part of a rule each system carries out, exactly or roughly, with the source. A system has no setting
// for the parts that carried.csv does not name. The files are templates of the folder files.
package systems

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/sched"
)

// File is what a system reads, or runs.
type File = struct{ Name, Text string }

// Settings are the numbers of a rule on a machine, as systems take them.
type Settings struct {
	Rule   policy.Resize
	Nodes  int // of the machine,
	Unit   int // and those that the nodes of jobs are multiples of
	GPUs   int // of a node; 0: none
	Jobs   int // that run at most
	Fewest int // shares of the machine
	Least  int // nodes of a job
	Most   int
	Begin  int     // on which a job starts that nobody resizes: those of the best static split
	Second float64 // in the time unit of the rule
	Ladder string  // nodes of a job, of 1, 2, … jobs
	// Malleable, if not nil, are malleable jobs beside rigid jobs under EASY backfilling, in place of the rule and of what follows from it.
	Malleable *Malleable
}

// New returns the settings of a rule on a machine of one partition or more, whose best static split has so many partitions.
func New(r policy.Resize, m policy.Machine, gpus int, second float64, split int) *Settings {
	units := m.Partitions()
	jobs, fewest := r.Shares(units, units), r.Shares(1, units)
	return &Settings{Rule: r, Nodes: m.Nodes, Unit: m.Unit, GPUs: gpus, Jobs: jobs, Fewest: fewest, Least: units / jobs * m.Unit,
		Most: (units + fewest - 1) / fewest * m.Unit, Begin: m.Nodes / split, Second: second, Ladder: ladder(r, m)}
}

// mostSizes is how many sizes a comment lists.
const mostSizes = 12

// ladder lists the nodes of a share for 1, 2, … jobs: of many the first and the last.
func ladder(r policy.Resize, m policy.Machine) string {
	var sizes []string
	for _, s := range advise.Steps(r, m) {
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
func (s *Settings) Seconds() float64 { return s.Rule.Cooldown / s.Second }

// Cooldown returns the cooldown in whole seconds, as settings take it.
func (s *Settings) Cooldown() int { return int(math.Round(s.Seconds())) }

// Workers returns the workers on a node: one for each GPU, or one.
func (s *Settings) Workers() int { return max(1, s.GPUs) }

// Processes returns the same in the words of torchrun, which counts the CPUs of a node without GPUs.
func (s *Settings) Processes() string {
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

func (s *Settings) parts() []part {
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
	//go:embed carried.csv
	carriedTable string
	//go:embed ways.csv
	waysTable string
	//go:embed files/*
	files embed.FS

	// order is that of the files, and carried what is known of their systems, by system and part.
	order   = []string{"slurm.sh", "kueue.yaml", "torchrun.sh", "kubeflow.yaml", "ray.yaml", "volcano.yaml", "hpa.yaml", "keda.yaml"}
	carried = readCarried()
)

// systemOf returns the name of the system that a file is for.
func systemOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

func readCarried() map[[2]string]carry {
	all := map[[2]string]carry{}
	for _, row := range rowsOf(carriedTable) {
		all[[2]string{row[0], row[1]}] = carry{row[2], row[3], row[4]}
	}
	return all
}

// rowsOf returns the rows of a table below its heads.
func rowsOf(table string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("systems: a table is wrong: " + err.Error()) // it is part of the program
	}
	return rows[1:]
}

// note returns the comment on the number of a part: how the system carries it out, and what is left to its user.
func (s *Settings) note(system, name string) (string, error) {
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
	return "", fmt.Errorf("systems: carried.csv does not say how %s carries out %q", system, name)
}

// absent returns the comments on the parts of the rule for which a system has no setting.
func (s *Settings) absent(system string) []string {
	var all []string
	for _, p := range s.parts() {
		if _, known := carried[[2]string{system, p.name}]; p.has && !known {
			all = append(all, "NOT IMPLEMENTED HERE: "+strings.ToLower(p.words[:1])+p.words[1:]+".")
		}
	}
	return all
}

// Poll returns [Poll].
func (*Settings) Poll() int { return Poll }

// Controller returns the controller, which carries out the whole rule.
func (s *Settings) Controller() (File, error) { return s.fill("controller.py") }

// Files returns the files of all systems. For malleable jobs beside rigid jobs Files returns the file of Slurm alone, because the other systems
// know no backfilling by time limits.
// Comments say of each number which part of the rule it carries out.
func (s *Settings) Files() ([]File, error) {
	if s.Malleable != nil {
		file, err := s.fill("malleable.sh")
		return []File{{Name: "slurm.sh", Text: file.Text}}, err
	}
	var all []File
	for _, name := range order {
		file, err := s.fill(name)
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	return all, nil
}

// fill fills the template of a file.
func (s *Settings) fill(name string) (f File, err error) {
	system := systemOf(name)
	t, err := template.New(name).Funcs(template.FuncMap{
		"note":     func(part string) (string, error) { return s.note(system, part) },
		"absent":   func() []string { return s.absent(system) },
		"mul":      func(a, b int) int { return a * b },
		"behavior": func(in string, factor float64, grows bool) behavior { return behavior{s, in, factor, grows} },
		"in":       func(in string) behavior { return behavior{s, in, 0, false} },
	}).ParseFS(files, "files/shared.tmpl", "files/rule.py", "files/malleable.py", "files/"+name)
	if err != nil {
		return f, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, s)
	return File{name, indentNotes(out.String())}, err
}

// behavior is what an autoscaler does in one direction: it acts on changes of the nodes by more than the tolerance.
type behavior struct {
	*Settings
	Indent    string
	Tolerance float64
	Grows     bool
}

// Up returns the tolerance of growth, by which wanted nodes may exceed those held: the factor of the hysteresis less one.
func (s *Settings) Up() float64 { return thousandths(max(1, s.Rule.Hysteresis) - 1) }

// Down returns the tolerance of shrinking: 1 − 1/factor.
func (s *Settings) Down() float64 { return thousandths(1 - 1/max(1, s.Rule.Hysteresis)) }

// thousandths rounds down to what a Quantity of Kubernetes holds without loss: an autoscaler does nothing at the tolerance
// itself, where the rule divides.
func thousandths(v float64) float64 { return max(0, math.Ceil(1000*v-1e-9)-1) / 1000 }

// Query is a trigger of KEDA: its name in the formula, and its query to Prometheus.
type Query struct{ Name, Text string }

// Queries returns what the formula of KEDA counts.
func (s *Settings) Queries() []Query {
	all := []Query{{"wanted", `max(wanted_nodes{name="elastic"})`}}
	if s.Rule.Wait > 0 {
		all = append(all, Query{"held", `count(kube_pod_info{pod=~"elastic-worker-.*"})`},
			Query{"waiting", `sum(kueue_pending_workloads{cluster_queue="elastic"})`})
	}
	return all
}

// Limit is one way in which systems fall short of a rule.
type Limit struct {
	Name  string // as tables have it
	Words string // what it means
	// apply limits how a rule is carried out; second is a second in its time unit.
	apply func(c *advise.Carried, second float64)
}

// Of a resize and of a look at the queue, in seconds. torchrun waits 30 s for latecomers, and kill and restart were reported to
// take "typically 30 secs or even more" (pytorch/elastic#99). Slurm 22.05 starts a requeued job after two minutes at the
// earliest. An HPA looks at its metric every 15 s, and knows windows of an hour at most.
const (
	Poll    = 60 // of the controller unless it is told otherwise, and of Ray's program
	restart = 30
	requeue = 120
	sync    = 15
	hour    = 3600
)

// limits are all limits. Those that are named "no" and a part of the rule leave this part out.
var limits = slices.Concat([]Limit{
	{"poll", fmt.Sprintf("a look each %d s, no start between", Poll),
		func(c *advise.Carried, second float64) { c.Poll = Poll * second }},
	{"sync", fmt.Sprintf("a look each %d s", sync), func(c *advise.Carried, second float64) { c.Poll = sync * second }},
	{"restart", fmt.Sprintf("a resized job stops %d s or more", restart),
		func(c *advise.Carried, second float64) {
			c.Shrink, c.Expand = restart*second, max(c.Expand, restart*second)
		}},
	{"requeue", fmt.Sprintf("a growing job stops %d s or more", requeue),
		func(c *advise.Carried, second float64) { c.Expand = requeue * second }},
	{"start free", "a job keeps the nodes of its start", widths(sched.Free)},
	{"no shrink", "a job takes free nodes for good", widths(sched.Growing)},
	{"apart", "each job alone; cooldown as a window",
		func(c *advise.Carried, second float64) {
			c.Width, c.Cooldown = sched.Apart, min(c.Cooldown, hour*second)
		}},
	{"no cap", "jobs as fit on the fewest nodes", func(c *advise.Carried, _ float64) { c.Uncapped = true }},
}, leftOut("cooldown", "hysteresis", "batch", "wait", "on"))

func widths(w sched.Width) func(*advise.Carried, float64) {
	return func(c *advise.Carried, _ float64) { c.Width = w }
}

func leftOut(parts ...string) (all []Limit) {
	for _, part := range parts {
		all = append(all, Limit{"no " + part, "the rule without it", func(c *advise.Carried, _ float64) {
			c.Resize, _ = c.With(part, 0) // leaves the parameter out, which is no error
		}})
	}
	return all
}

// Way is a way to carry a rule out, with what does it and how it falls short of the rule.
type Way struct {
	By     string
	Limits []string
	advise.Carried
}

// static names the limit that jobs keep the nodes of the best static split, on which the files of some systems start them.
const static = "static"

// CarriedOut returns the rules of the ways.
func CarriedOut(ways []Way) (all []advise.Carried) {
	for _, w := range ways {
		all = append(all, w.Carried)
	}
	return all
}

// Ways returns the ways to carry a rule out; second is a second in its time unit, and split the partitions of the best static
// split. ways.csv has their limits: the controller on systems that it knows, then systems whose settings are all that there is.
// torchrun has no queue and is part of others. What settings do not know of the rule is left out besides, as carried.csv says,
// where jobs are resized at all. Systems that do the same are one way.
func Ways(r policy.Resize, second float64, split int) []Way {
	var ways []Way
	for _, row := range rowsOf(waysTable) {
		by := row[0]
		names := slices.DeleteFunc(strings.Split(row[1], ";"), func(name string) bool { return name == "no cap" && r.Cap == 0 })
		if slices.Contains(names, "apart") {
			for _, name := range []string{"cooldown", "hysteresis", "batch", "wait", "on"} {
				if _, known := carried[[2]string{by, name}]; !known && r.Get(name) != 0 {
					names = append(names, "no "+name)
				}
			}
		}
		way := Way{by, names, limited(r, second, names...)}
		if slices.Contains(names, static) {
			way.Carried = advise.Carried{Resize: policy.Resize{Floor: split, Cap: split}}
		}
		if i := slices.IndexFunc(ways, func(w Way) bool { return w.Carried == way.Carried && slices.Equal(w.Limits, names) }); i >= 0 {
			ways[i].By += ", " + strings.TrimPrefix(way.By, "controller.py, ")
			continue
		}
		ways = append(ways, way)
	}
	return ways
}

// limited returns a rule as it is carried out with limits.
func limited(r policy.Resize, second float64, names ...string) advise.Carried {
	c := advise.Carried{Resize: r}
	for _, l := range limits {
		if slices.Contains(names, l.Name) {
			l.apply(&c, second)
		}
	}
	return c
}

// Each returns the limits that a rule meets, each by itself: its words in place of what carries it out.
func Each(r policy.Resize, second float64) []Way {
	var ways []Way
	for _, l := range limits {
		if c := limited(r, second, l.Name); l.Name != "no cap" && c != (advise.Carried{Resize: r}) {
			ways = append(ways, Way{l.Words, []string{l.Name}, c})
		}
	}
	return ways
}

// width is the length of comments.
const width = 120

// indentNotes writes lines that begin with "#~" as comments, as far to the right as the line after them, and wraps them.
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
		for len([]rune(line)) > width {
			cut := strings.LastIndex(line[:width+1], " ")
			wrapped, line = append(wrapped, line[:cut]), prefix+"  "+line[cut+1:]
		}
		lines[i] = strings.Join(append(wrapped, line), "\n")
	}
	return strings.Join(lines, "\n")
}
