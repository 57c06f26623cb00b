package modelfile

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
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
	// Speedup is what was assumed of the jobs of a log whose work was fitted, as [workload.ParseSpeedup] reads it; "" if
	// nothing was, or if the file does not say.
	Speedup string
}

// Scores are how a fit describes itself in a file.
type Scores struct {
	Family            string  `json:"family"`
	Phases            int     `json:"phases"`
	Samples           int     `json:"samples"`
	Likelihood        string  `json:"likelihood"`
	LogLikelihood     float64 `json:"log_likelihood"`
	MeanLogLikelihood float64 `json:"mean_log_likelihood"`
	AIC               float64 `json:"aic"`
	BIC               float64 `json:"bic"`
	KS                float64 `json:"ks"`
	Iterations        int     `json:"iterations"`
	Converged         bool    `json:"converged"`
	Seconds           float64 `json:"seconds"`
	Speedup           string  `json:"speedup,omitempty"` // see [DistributionFile]
}

// ScoresOf returns the scores of a fit.
func ScoresOf(c fit.Fitted) *Scores {
	return &Scores{
		Family: string(c.Family), Phases: c.Phases, Samples: c.Samples, Likelihood: c.Likelihood,
		LogLikelihood: c.LogLikelihood, MeanLogLikelihood: c.MeanLogLikelihood, AIC: c.AIC, BIC: c.BIC, KS: c.KS,
		Iterations: c.Iterations, Converged: c.Converged, Seconds: c.Seconds,
	}
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

// WriteDistribution writes a distribution or, if m has phases, an arrival process, with times in the given unit, as a file that
// a model can refer to; scores may be nil. Numbers are written with the digits it takes to read them back as they are.
func WriteDistribution(w io.Writer, unit measure.TimeUnit, d phasetype.Dist, m phasetype.MAP, scores *Scores) error {
	t := fileText{Version: tree.Version, TimeUnit: unit.Name, Fit: scores}
	switch {
	case m.Phases() > 0:
		t.Kind, t.D0, t.D1 = kindMAP, Rows(m.D0()), Rows(m.D1())
	case d.Phases() > 0:
		t.Kind, t.Alpha, t.T = kindPhaseType, d.Alpha(), Rows(d.T())
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

// Rows returns the rows of a matrix. A nil matrix has no rows.
func Rows(m *mat.Dense) [][]float64 {
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
	f, _ := readDistribution(name, data, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// readDistribution reads a file; what is wrong with it is in errs.
func readDistribution(name string, data []byte, errs *tree.Collector) (f *DistributionFile, ok bool) {
	f = &DistributionFile{}
	root := tree.ReadTree(name, data, errs)
	if root == nil {
		return f, false
	}
	d := &tree.Decoder{Errs: errs, Unit: measure.Second()}
	o, _ := d.Root(root).Object("version", "kind", "time_unit", "alpha", "T", "D0", "D1", "fit?")
	o.Head(new(string))
	f.Kind = tree.Needed(o, "kind", "write phase_type or map", tree.WordAs("a kind", kindPhaseType, kindMAP))
	f.Speedup = assumedSpeedup(o)
	f.TimeUnit = tree.Needed(o, "time_unit", "name the unit of its times", (*tree.Cursor).TimeUnit)
	if !o.Valid() {
		return f, false
	}
	err := f.content(o)
	return f, accept(o, o.Cursor, err)
}

// assumedSpeedup returns the speedup that the scores of a file record. Nothing else in them is read, so that files of other
// programs may say of their fits what they like.
func assumedSpeedup(o *tree.Object) string {
	scores, ok := o.Field("fit")
	if !ok || scores.Kind != tree.Mapping {
		return ""
	}
	if s := scores.Lookup("speedup"); s != nil && s.Kind == tree.Text {
		return s.Value
	}
	return ""
}

// content reads the matrices of the kind.
func (f *DistributionFile) content(o *tree.Object) (err error) {
	mine, others := []string{"alpha", "T"}, []string{"D0", "D1"}
	if f.Kind == kindMAP {
		mine, others = others, mine
	}
	switch {
	case !o.Excludes("does not belong to kind "+f.Kind, "use "+tree.Alternatives(mine), others...):
	case f.Kind == kindPhaseType:
		f.Dist, err = distributionMatrices(o)
	default:
		f.MAP, err = arrivalMatrices(o)
	}
	return err
}

// file reads the distribution in the file that the node names.
func (r *distributionReader) file(c *tree.Cursor) (d phasetype.Dist, err error) {
	f, ok := r.refer(c, kindPhaseType)
	if ok {
		r.compareSpeedups(c, f.Speedup)
	}
	if !ok || f.TimeUnit == c.Unit() {
		return f.Dist, nil
	}
	return f.Dist.Scale(f.TimeUnit.Convert(1, c.Unit()))
}

// compareSpeedups warns of work that was fitted with another speedup than the jobs have. The model would scale run times by
// another speedup than the one that converted them to one node.
func (r *distributionReader) compareSpeedups(c *tree.Cursor, assumed string) {
	if r.speedup == nil || assumed == "" {
		return
	}
	if s := workload.SpeedupText(r.speedup); s != assumed {
		c.Warn("was fitted to the work of a log with the speedup %s, the jobs have %s: the load is not that of the log; fit with "+
			"--swf work --speedup %s", assumed, s, s)
	}
}

// mapFile reads the arrival process in the file that the node names.
func (r *distributionReader) mapFile(c *tree.Cursor) (phasetype.MAP, error) {
	f, ok := r.refer(c, kindMAP)
	if !ok || f.TimeUnit == c.Unit() {
		return f.MAP, nil
	}
	return f.MAP.Speedup(c.Unit().Convert(1, f.TimeUnit))
}

// refer reads the file that the node names, which must be of a kind.
func (r *distributionReader) refer(c *tree.Cursor, kind string) (*DistributionFile, bool) {
	path, data, ok := c.File("the name of a file")
	if !ok {
		return &DistributionFile{}, false
	}
	r.files[path] = true
	f, ok := readDistribution(path, data, c.Errs())
	if ok && f.Kind != kind {
		c.Fail(fmt.Sprintf("%s holds a %s, not a %s", path, f.Kind, kind), "")
		return f, false
	}
	return f, ok
}
