package modelfile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"go.yaml.in/yaml/v3"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// unwritable says which field of a model no file can say, and why.
func unwritable(field, format string, args ...any) error {
	return fmt.Errorf("modelfile: cannot write the model: "+strings.TrimPrefix(field+" ", " ")+format, args...)
}

// WriteModel writes a model as a file in YAML, from which [Load] reads the same model: its times in its unit (seconds
// if it has none), every number with the digits it takes to read it back as it is. Arrivals stand there at the rate
// that they have: what arrivals.load did to them is done. Jobs are written by demand and speedup if the system has
// them. Service times that were rescaled after they were made from these may then differ in the last digit when they
// are read back. With a speedup that files cannot name, jobs stand there by their service times. Rows of a PhaseMap
// that do not quite sum to 1 are made to.
//
// The error is a *[models.SystemError] for a system that is wrong, or that of w; for a system that a file cannot describe
// it says which field. Nothing is written unless the file can be read back.
func WriteModel(w io.Writer, m *Model) error {
	_, out, err := readable(m)
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}

// WriteFitted writes a model as [WriteModel] does, with the measurements that distributions were fitted to in place of their numbers,
// and with remarks: whoever reads the file fits the distributions again. Nothing is written unless the file with the numbers can be
// read back; the measurements are not read.
func WriteFitted(w io.Writer, m *Model, from Origins) error {
	text, _, err := readable(m)
	if err != nil {
		return err
	}
	if err := from.putInto(text); err != nil {
		return err
	}
	var root yaml.Node
	if err := root.Encode(text); err != nil {
		return unwritable("", "as YAML: %w", err)
	}
	remark(&root, "", from.Remarks)
	out, err := encoded(&root)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// readable returns the file of a model, and the file as YAML, from which the model can be read.
func readable(m *Model) (*modelFile, []byte, error) {
	if m == nil {
		return nil, nil, unwritable("", "no model is given")
	}
	if !utf8.ValidString(m.Title) {
		return nil, nil, unwritable("Title", "is not UTF-8")
	}
	if err := m.System.Check(); err != nil {
		return nil, nil, err
	}
	text, err := modelText(m)
	if err != nil {
		return nil, nil, err
	}
	out, err := encoded(&text)
	if err != nil {
		return nil, nil, err
	}
	return &text, out, readBack(out, m)
}

// encoded returns a value as YAML.
func encoded(value any) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(value); err != nil {
		return nil, unwritable("", "as YAML: %w", err)
	}
	return b.Bytes(), nil
}

// readBack returns an error unless a file can be read as the model.
func readBack(file []byte, m *Model) error {
	again, err := Parse("model.yaml", file)
	if err != nil {
		return unwritable("", "so that it can be read: %w", err)
	}
	for i, b := range m.System.Service { // which the file may say by a demand and a speedup
		if !sameTimes(b, again.System.Service[i]) {
			return unwritable(fmt.Sprintf("System.Service[%d]", i), "is read back as another")
		}
	}
	return nil
}

// modelFile is the layout of a model file.
type modelFile struct {
	Version  int    `yaml:"version"`
	Title    string `yaml:"title,omitempty"`
	TimeUnit string `yaml:"time_unit"`
	Machine  struct {
		Nodes    int `yaml:"nodes"`
		MinNodes int `yaml:"min_nodes"`
	} `yaml:"machine,flow"`
	Arrivals map[string]any `yaml:"arrivals,flow"`
	Jobs     struct {
		Demand   distText     `yaml:"demand,omitempty"`
		Speedup  string       `yaml:"speedup,omitempty"`
		Nodes    int          `yaml:"nodes,omitempty"`
		Service  []distText   `yaml:"service,omitempty"`
		PhaseMap []changeText `yaml:"phase_map,omitempty"`
		Classes  []classText  `yaml:"classes,omitempty"`
	} `yaml:"jobs"`
	Dynamic struct {
		Stops    models.Stops `yaml:"stops,omitempty"`
		Overhead distText     `yaml:"overhead,omitempty"`
		Shrink   []distText   `yaml:"shrink,omitempty"`
		Expand   []distText   `yaml:"expand,omitempty"`
	} `yaml:"dynamic,omitempty"`
	Static struct {
		Setup any `yaml:"setup,omitempty"`
	} `yaml:"static,omitempty"`
	Expect  []goalText `yaml:"expect,omitempty"`
	Require []goalText `yaml:"require,omitempty"`
}

type changeText struct {
	From   int         `yaml:"from"`
	To     int         `yaml:"to"`
	Matrix [][]float64 `yaml:"matrix,flow"`
}

type classText struct {
	Name     string   `yaml:"name"`
	Share    any      `yaml:"share"` // a weight, or an ofAllText
	MaxNodes int      `yaml:"max_nodes,omitempty"`
	Nodes    int      `yaml:"nodes,omitempty"`
	Demand   distText `yaml:"demand"`
	Speedup  string   `yaml:"speedup"`
}

// ofAllText is a share of all arrivals.
type ofAllText struct {
	OfAll float64 `yaml:"of_all"`
}

// shareText returns the share of a class: a weight, or a share of all arrivals, whose shares sum to total.
func shareText(c *models.Class, total float64) any {
	if c.OfAll {
		return ofAllText{c.Share / total}
	}
	return c.Share
}

// goalText is an expectation, which has a value, or a requirement, which has bounds.
type goalText struct {
	Policy    string   `yaml:"policy"`
	Measure   string   `yaml:"measure"`
	Value     *float64 `yaml:"value,omitempty"`
	Tolerance *float64 `yaml:"tolerance,omitempty"`
	AtMost    *float64 `yaml:"at_most,omitempty"`
	AtLeast   *float64 `yaml:"at_least,omitempty"`
}

// distText is a distribution, nil if it takes no time.
type distText map[string]any

// MarshalYAML returns the distribution in one line.
func (d distText) MarshalYAML() (any, error) {
	if d == nil {
		return nil, nil
	}
	n := &yaml.Node{}
	err := n.Encode(map[string]any(d))
	n.Style = yaml.FlowStyle
	return n, err
}

func modelText(m *Model) (f modelFile, err error) {
	s := m.System
	f.Version, f.Title, f.TimeUnit = tree.Version, m.Title, cmp.Or(m.TimeUnit, measure.Second()).Name
	f.Machine.Nodes, f.Machine.MinNodes = s.Nodes, s.MinNodes
	f.Arrivals = arrivalsText(s.Arrivals)
	if err := f.jobs(s); err != nil {
		return f, err
	}
	f.overheads(s)
	f.Static.Setup = setupText(s)
	for _, e := range m.Expect {
		f.Expect = append(f.Expect, goalText{Policy: e.PolicyName(), Measure: e.Measure.Name, Value: &e.Value,
			Tolerance: &e.Tolerance})
	}
	for _, q := range m.Require {
		f.Require = append(f.Require, goalText{Policy: q.PolicyName(), Measure: q.Measure.Name,
			AtMost: q.AtMost, AtLeast: q.AtLeast})
	}
	return f, nil
}

func arrivalsText(m phasetype.MAP) map[string]any {
	if m.Phases() == 1 {
		return map[string]any{"rate": m.Rate1(0, 0)}
	}
	return map[string]any{"map": map[string]any{"D0": rows(m.D0()), "D1": rows(m.D1())}}
}

// overheads writes what repartitions cost, in one distribution if all cost the same.
func (f *modelFile) overheads(s *models.System) {
	n := s.Partitions()
	every := s.ShrinkTo(n)
	same := n > 1 && every.Phases() > 0 && s.ShrinkTo(1).Phases() == 0
	for i := 1; i < n && same; i++ {
		same = reflect.DeepEqual(s.ExpandTo(i), every) && (i == 1 || reflect.DeepEqual(s.ShrinkTo(i), every))
	}
	f.Dynamic.Stops = s.Stops
	if same {
		f.Dynamic.Overhead = distributionText(every)
	} else {
		f.Dynamic.Shrink, f.Dynamic.Expand = distTexts(s.Shrink, n), distTexts(s.Expand, n-1)
	}
}

// setupText returns the set-ups of jobs under static partitioning as a model file has them: one distribution if all splits
// have the same, and nil if jobs have no set-up.
func setupText(s *models.System) any {
	if len(s.Setup) == 0 {
		return nil
	}
	one, splits := s.Setup[1], s.Machine().Divisors()
	same := one.Phases() > 0 && len(s.Setup) == len(splits)
	by := make(map[int]distText)
	for k, d := range s.Setup {
		same = same && reflect.DeepEqual(d, one)
		by[k] = distributionText(d)
	}
	if same {
		return distributionText(one)
	}
	return map[string]any{"by_partitions": by}
}

// distTexts returns the distributions up to the last, nil if all take no time.
func distTexts(list []phasetype.Dist, last int) []distText {
	if !slices.ContainsFunc(list, func(d phasetype.Dist) bool { return d.Phases() > 0 }) {
		return nil
	}
	all := make([]distText, last)
	for i, d := range list[:min(last, len(list))] {
		all[i] = distributionText(d)
	}
	return all
}

func (f *modelFile) jobs(s *models.System) error {
	j := &f.Jobs
	for from := 1; from <= s.Partitions(); from++ {
		for _, to := range [2]int{from - 1, from + 1} {
			if phi := s.PhaseMap[models.Change{From: from, To: to}]; phi != nil {
				j.PhaseMap = append(j.PhaseMap, changeText{from, to, rows(phi)})
			}
		}
	}
	if len(j.PhaseMap) < len(s.PhaseMap) {
		return unwritable("System.PhaseMap", "changes the number of running jobs by more than one")
	}
	total := 0.0
	for _, c := range s.Classes {
		total += c.Share
	}
	for k, c := range s.Classes {
		text, ok := speedupName(c.Speedup)
		if !ok { // a table cannot have all numbers of nodes that water-filling gives to jobs
			return unwritable(fmt.Sprintf("System.Classes[%d].Speedup", k), "has no name")
		}
		j.Classes = append(j.Classes, classText{c.Name, shareText(&c, total), c.MaxNodes, c.Nodes, distributionText(c.Demand), text})
	}
	text, named := speedupName(s.Speedup)
	switch {
	case j.Classes != nil:
	case named:
		j.Demand, j.Speedup, j.Nodes = distributionText(s.Demand), text, s.JobNodes
	case s.JobNodes > 0:
		return unwritable("System.Speedup", "has no name, and jobs that ask for nodes need one")
	default:
		j.Service = distTexts(s.Service, len(s.Service))
	}
	return nil
}

// speedupName returns a speedup as flags write it; false if they cannot.
func speedupName(s workload.Speedup) (text string, ok bool) {
	text = fmt.Sprint(s)
	named, err := workload.ParseSpeedup(text)
	return text, err == nil && reflect.DeepEqual(named, s)
}

// distributionText names a distribution by its family where the parameters give it back as it is, and has its matrices
// otherwise.
func distributionText(d phasetype.Dist) distText {
	if d.Phases() == 0 {
		return nil
	}
	mean, rate, order := d.Mean(), -d.Rate(0, 0), d.Phases()
	same := func(other phasetype.Dist, err error) bool { return err == nil && reflect.DeepEqual(d, other) }
	switch {
	case same(phasetype.Erlang(1, mean)):
		return distText{"exponential": map[string]float64{"mean": mean}}
	case same(phasetype.Exponential(rate)):
		return distText{"exponential": map[string]float64{"rate": rate}}
	case same(phasetype.Erlang(order, mean)):
		return distText{"erlang": map[string]any{"mean": mean, "phases": order}}
	}
	means := make([]float64, order)
	for i := range means {
		means[i] = -1 / d.Rate(i, i)
	}
	if same(phasetype.Hyperexponential(d.Alpha(), means)) {
		return distText{"hyperexponential": map[string][]float64{"weights": d.Alpha(), "means": means}}
	}
	return distText{"phase_type": matricesOf(d)}
}

// matrices are those of a distribution, with exit rates where these have more digits than the row sums of T.
type matrices struct {
	Alpha []float64   `json:"alpha" yaml:"alpha"`
	T     [][]float64 `json:"T" yaml:"T"`
	Exit  []float64   `json:"exit" yaml:"exit,omitempty"`
}

// matricesOf returns the numbers that a distribution is read back from as it is.
func matricesOf(d phasetype.Dist) matrices {
	m := matrices{Alpha: d.Alpha(), T: rows(d.T())}
	if again, err := phasetype.New(d.Alpha(), d.T()); err != nil || !slices.Equal(again.Exit(), d.Exit()) ||
		!mat.Equal(again.T(), d.T()) {
		m.Exit = d.Exit()
	}
	return m
}

// sameTimes reports whether two distributions are the same up to the rounding of times that were made from a demand and then
// rescaled.
func sameTimes(a, b phasetype.Dist) bool {
	const rounding = 1e-12
	return a.Phases() == b.Phases() && floats.EqualApprox(a.Alpha(), b.Alpha(), rounding) &&
		mat.EqualApprox(a.T(), b.T(), rounding*mat.Norm(a.T(), math.Inf(1)))
}
