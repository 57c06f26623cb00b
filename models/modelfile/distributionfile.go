package modelfile

import (
	"encoding/json"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The kinds of distribution files.
const (
	kindPhaseType = "phase_type"
	kindMAP       = "map"
)

// DistributionFile is what a file of a fitted distribution or arrival process says.
type DistributionFile struct {
	Kind     string // phase_type or map
	TimeUnit measure.TimeUnit
	Dist     phasetype.Dist // of a phase_type
	MAP      phasetype.MAP  // of a map
	// Speedup is what made run times on one node of the times that were measured, as [workload.ParseSpeedup] reads it; "" if
	// nothing did, or if the file does not say.
	Speedup string
	// UnknownNodes reports that the file is a fit, and does not tell on how many nodes the fitted times were measured.
	UnknownNodes bool
}

// Scores are how a fit describes itself in a file.
type Scores struct {
	fit.Fitted
	Speedup string `json:"speedup,omitempty"` // see [DistributionFile]
	Nodes   int    `json:"nodes,omitempty"`   // on which all fitted times were measured; 0: not told, or different for each
}

// fileText is the layout of a distribution file.
type fileText struct {
	Version  int         `json:"version"`
	Kind     string      `json:"kind"`
	TimeUnit string      `json:"time_unit"`
	Alpha    []float64   `json:"alpha,omitempty"`
	T        [][]float64 `json:"T,omitempty"`
	D0       [][]float64 `json:"D0,omitempty"`
	D1       [][]float64 `json:"D1,omitempty"`
	Fit      *Scores     `json:"fit,omitempty"`
}

// WriteDistribution writes a file that a model can refer to: a distribution, or an arrival process if m has phases. Times are in the
// given unit; scores may be nil. Numbers are written with the digits it takes to read them back as they are.
func WriteDistribution(w io.Writer, unit measure.TimeUnit, d phasetype.Dist, m phasetype.MAP, scores *Scores) error {
	t := fileText{Version: tree.Version, TimeUnit: unit.Name, Fit: scores}
	switch {
	case m.Phases() > 0:
		t.Kind, t.D0, t.D1 = kindMAP, rows(m.D0()), rows(m.D1())
	case d.Phases() > 0:
		t.Kind, t.Alpha, t.T = kindPhaseType, d.Alpha(), rows(d.T())
	default:
		return fmt.Errorf("modelfile: a distribution without phases cannot be written")
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("modelfile: cannot write the distribution: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// rows returns the rows of a matrix. A nil matrix has no rows.
func rows(m *mat.Dense) [][]float64 {
	if m == nil {
		return nil
	}
	n, _ := m.Dims()
	all := make([][]float64, n)
	for i := range all {
		all[i] = m.RawRowView(i)
	}
	return all
}

// LoadDistribution reads a distribution file. The error is [Errors] if the file is wrong, that of the operating system if it
// cannot be read.
func LoadDistribution(path string) (*DistributionFile, error) {
	data, err := tree.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseDistribution(path, data)
}

// parseDistribution reads the text of a distribution file; the name appears in errors. The error is [Errors].
func parseDistribution(name string, data []byte) (*DistributionFile, error) {
	var errs tree.Collector
	f := readDistribution(name, data, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// readDistribution reads a file; what is wrong with it is in errs.
func readDistribution(name string, data []byte, errs *tree.Collector) *DistributionFile {
	f := &DistributionFile{}
	root := tree.ReadTree(name, data, errs)
	if root == nil {
		return f
	}
	c := tree.Root(root, errs)
	if root.Kind != tree.Mapping {
		c.Fail("expected a mapping with the keys of a fitted distribution or arrival process",
			fmt.Sprintf("partwise fit makes one of measured times; a model may also fit them itself: {fit: {file: %s}}", name))
		return f
	}
	c.Keys("version", "kind", "time_unit", "alpha", "T", "D0", "D1", "fit?")
	c.Head(new(string))
	f.Kind = tree.Word(c.Need("kind", "write phase_type or map"), "a kind", kindPhaseType, kindMAP)
	scores := c.Field("fit")
	if s := scores.Lookup("speedup"); s != nil && s.Kind == tree.Text { // other scores of other programs say what they like
		f.Speedup = s.Value
	}
	f.UnknownNodes = scores.There() && f.Speedup == "" && scores.Lookup("nodes") == nil
	f.TimeUnit = c.Need("time_unit", "name the unit of its times").TimeUnit()
	if c.Valid() {
		fail(c, f.content(c))
	}
	return f
}

// content reads the matrices of the kind.
func (f *DistributionFile) content(c *tree.Cursor) (err error) {
	mine, others := []string{"alpha", "T"}, []string{"D0", "D1"}
	if f.Kind == kindMAP {
		mine, others = others, mine
	}
	switch {
	case !c.Excludes("does not belong to kind "+f.Kind, "use "+words.Or(mine), others...):
	case f.Kind == kindPhaseType:
		f.Dist, err = distributionMatrices(c)
	default:
		f.MAP, err = arrivalMatrices(c)
	}
	return err
}

// file reads the distribution in the file that the node names.
func (r *distributionReader) file(c *tree.Cursor) (phasetype.Dist, error) {
	f := r.refer(c, kindPhaseType)
	if s := r.speedup; s != nil && f.Speedup != "" && workload.SpeedupText(s) != f.Speedup {
		// The model would scale run times by another speedup than the one that converted them to one node.
		c.Warn("was fitted to run times on one node by the speedup %s, the jobs have %s: the load is not that of the data; fit with "+
			"--speedup %s", f.Speedup, workload.SpeedupText(s), workload.SpeedupText(s))
	}
	if r.speedup != nil && f.UnknownNodes && !r.oneNode {
		c.Warn("is fitted to times on a number of nodes that it does not tell, and a demand is the run time on one node; fit with " +
			"--on-nodes N --speedup S, or with --on-nodes 1")
	}
	if !c.Valid() || f.TimeUnit == c.Unit() {
		return f.Dist, nil
	}
	return f.Dist.Scale(f.TimeUnit.Convert(1, c.Unit()))
}

// mapFile reads the arrival process in the file that the node names.
func (r *distributionReader) mapFile(c *tree.Cursor) (phasetype.MAP, error) {
	f := r.refer(c, kindMAP)
	if !c.Valid() || f.TimeUnit == c.Unit() {
		return f.MAP, nil
	}
	return f.MAP.Speedup(c.Unit().Convert(1, f.TimeUnit))
}

// refer reads the file that the node names, which must be of a kind.
func (r *distributionReader) refer(c *tree.Cursor, kind string) *DistributionFile {
	path := c.FilePath("the name of a file")
	data := c.ReadFile(path)
	if !c.Valid() {
		return &DistributionFile{}
	}
	r.files[path] = true
	f := readDistribution(path, data, c.Errs())
	if c.Valid() && f.Kind != kind {
		c.Failf("%s holds a %s, not a %s", path, f.Kind, kind)
	}
	return f
}
