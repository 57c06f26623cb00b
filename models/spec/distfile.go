package spec

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// The kinds of distribution files.
const (
	KindPhaseType = "phase_type"
	KindMAP       = "map"
)

// DistFile is what a file of a fitted distribution or arrival process says.
type DistFile struct {
	Kind     string // phase_type or map
	TimeUnit TimeUnit
	Dist     phasetype.Dist // of a phase_type
	MAP      phasetype.MAP  // of a map
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
}

// ScoresOf returns the scores of a candidate.
func ScoresOf(c fit.Candidate) *Scores {
	return &Scores{
		Family: string(c.Family), Phases: c.Phases, Samples: c.Samples, Likelihood: c.Likelihood,
		LogLikelihood: c.LogLikelihood, MeanLogLikelihood: c.MeanLogLikelihood, AIC: c.AIC, BIC: c.BIC, KS: c.KS,
		Iterations: c.Iterations, Converged: c.Converged, Seconds: c.Seconds,
	}
}

// distFileText is the layout of a distribution file.
type distFileText struct {
	Version  int         `json:"version"`
	Kind     string      `json:"kind"`
	TimeUnit string      `json:"time_unit"`
	Alpha    []float64   `json:"alpha,omitempty"`
	T        [][]float64 `json:"T,omitempty"`
	D0       [][]float64 `json:"D0,omitempty"`
	D1       [][]float64 `json:"D1,omitempty"`
	Fit      *Scores     `json:"fit,omitempty"`
}

// WriteDist writes d, with times in the given unit, as a file that a model can refer to; scores may be nil. Numbers are
// written with the digits it takes to read them back as they are.
func WriteDist(w io.Writer, unit TimeUnit, d phasetype.Dist, scores *Scores) error {
	if d.Phases() == 0 {
		return fmt.Errorf("spec: a distribution without phases cannot be written")
	}
	return writeDistFile(w, distFileText{
		Version: Version, Kind: KindPhaseType, TimeUnit: unit.Name, Alpha: d.Alpha(), T: rows(d.T()), Fit: scores,
	})
}

// WriteMAP writes m, with times in the given unit, as a file that a model can refer to; scores may be nil.
func WriteMAP(w io.Writer, unit TimeUnit, m phasetype.MAP, scores *Scores) error {
	if m.Phases() == 0 {
		return fmt.Errorf("spec: an arrival process without phases cannot be written")
	}
	return writeDistFile(w, distFileText{
		Version: Version, Kind: KindMAP, TimeUnit: unit.Name, D0: rows(m.D0()), D1: rows(m.D1()), Fit: scores,
	})
}

func writeDistFile(w io.Writer, t distFileText) error {
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("spec: cannot write the distribution: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

func rows(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	all := make([][]float64, n)
	for i := range all {
		all[i] = m.RawRowView(i)
	}
	return all
}

// LoadDist reads a distribution file. The error is [Errors] if the file is wrong, that of the operating system if it
// cannot be read.
func LoadDist(path string) (*DistFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseDist(path, data)
}

// ParseDist reads the text of a distribution file; the name appears in errors. The error is [Errors].
func ParseDist(name string, data []byte) (*DistFile, error) {
	var errs collector
	f, _ := readDistFile(name, data, &errs)
	if err := errs.err(); err != nil {
		return nil, err
	}
	return f, nil
}

func readDistFile(name string, data []byte, errs *collector) (*DistFile, bool) {
	root := readTree(newSource(name, data), data, errs)
	if root == nil {
		return nil, false
	}
	d := &decoder{errs: errs, unit: Second}
	c := d.root(root)
	o, ok := c.object("version", "kind", "time_unit", "alpha", "T", "D0", "D1", "fit?")
	if !ok {
		return nil, false
	}
	o.head(new(string))
	f := &DistFile{}
	v, ok := o.need("kind", "write phase_type or map")
	if !ok {
		return nil, false
	}
	if f.Kind, ok = v.word("a kind", KindPhaseType, KindMAP); !ok {
		return nil, false
	}
	if v, ok = o.need("time_unit", "name the unit of its times"); !ok {
		return nil, false
	}
	if f.TimeUnit, ok = v.timeUnit(); !ok || !o.ok {
		return nil, false
	}
	return f, o.content(f)
}

// content reads the matrices of the kind.
func (o *object) content(f *DistFile) bool {
	mine, others := []string{"alpha", "T"}, []string{"D0", "D1"}
	if f.Kind == KindMAP {
		mine, others = others, mine
	}
	for _, key := range others {
		if v, ok := o.field(key); ok {
			v.fail("does not belong to kind "+f.Kind, "use "+alternatives(mine))
			return false
		}
	}
	if f.Kind == KindPhaseType {
		alpha, okAlpha := o.list("alpha", "probability", (*cursor).nonnegative)
		t, okT := o.matrix("T")
		if !okAlpha || !okT {
			return false
		}
		var ok bool
		f.Dist, ok = o.made(phasetype.New(alpha, t))
		return ok
	}
	d0, ok0 := o.matrix("D0")
	d1, ok1 := o.matrix("D1")
	if !ok0 || !ok1 {
		return false
	}
	var ok bool
	f.MAP, ok = o.process(phasetype.NewMAP(d0, d1))
	return ok
}

// named reads the file that the node names, relative to the file it stands in.
func (c *cursor) named(what string) (path string, data []byte, ok bool) {
	if path, ok = c.filePath(what); !ok {
		return path, nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		c.fail(unreadable(path, err), "")
		return path, nil, false
	}
	return path, data, true
}

// filePath reads the name of a file, relative to the file it stands in.
func (c *cursor) filePath(what string) (path string, ok bool) {
	name, ok := c.text(what)
	if !ok {
		return "", false
	}
	path = filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.src.dir, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&(os.ModeDir|os.ModeDevice) != 0 {
		c.fail(fmt.Sprintf("%s is not a file", path), "")
		return path, false
	}
	return path, true
}

// unreadable says why a file cannot be read.
func unreadable(path string, err error) string {
	if os.IsNotExist(err) {
		return fmt.Sprintf("there is no file %s", path)
	}
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	return fmt.Sprintf("cannot read %s: %v", path, err)
}

// distFile reads the distribution in the file that the node names.
func (c *cursor) distFile() (phasetype.Dist, bool) {
	f, ok := c.refer(KindPhaseType)
	if !ok {
		return phasetype.Dist{}, false
	}
	if f.TimeUnit == c.d.unit {
		return f.Dist, true
	}
	return c.made(f.Dist.Scale(f.TimeUnit.Convert(1, c.d.unit)))
}

// mapFile reads the arrival process in the file that the node names.
func (c *cursor) mapFile() (phasetype.MAP, bool) {
	f, ok := c.refer(KindMAP)
	if !ok {
		return phasetype.MAP{}, false
	}
	if f.TimeUnit == c.d.unit {
		return f.MAP, true
	}
	return c.process(f.MAP.Speedup(c.d.unit.Convert(1, f.TimeUnit)))
}

func (c *cursor) refer(kind string) (*DistFile, bool) {
	path, data, ok := c.named("the name of a file")
	if !ok {
		return nil, false
	}
	c.d.known.files[path] = true
	f, ok := readDistFile(path, data, c.d.errs)
	if ok && f.Kind != kind {
		c.fail(fmt.Sprintf("%s holds a %s, not a %s", path, f.Kind, kind), "")
		return nil, false
	}
	return f, ok
}
