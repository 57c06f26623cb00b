package modelfile

import (
	"fmt"
	"io"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile/distribution"
	"github.com/partwise/partwise/models/modelfile/tree"
	"github.com/partwise/partwise/phasetype"
)

// Error is one mistake in a file.
type Error = tree.Error

// Errors are the mistakes of a file and of those it names, in the order of the text.
type Errors = tree.Errors

// TimeUnit is a unit of time.
type TimeUnit = tree.TimeUnit

// Second is the unit of files that name none.
var Second = tree.Second

// UnitByName returns the unit us, ms, s, min, h or d.
func UnitByName(name string) (TimeUnit, error) {
	u, ok := tree.UnitByName(name)
	if !ok {
		return u, fmt.Errorf("modelfile: unknown time unit %q; use %s", name, tree.Alternatives(tree.UnitNames()))
	}
	return u, nil
}

// The kinds of distribution files.
const (
	KindPhaseType = distribution.KindPhaseType
	KindMAP       = distribution.KindMAP
)

// DistFile is what a file of a fitted distribution or arrival process says.
type DistFile = distribution.File

// Scores are how a fit describes itself in a file.
type Scores = distribution.Scores

// ScoresOf returns the scores of a fit.
func ScoresOf(c fit.Fitted) *Scores { return distribution.ScoresOf(c) }

// LoadDist reads a distribution file, see [distribution.Load].
func LoadDist(path string) (*DistFile, error) { return distribution.Load(path) }

// WriteDist writes a distribution as a file that a model can refer to, see [distribution.Write].
func WriteDist(w io.Writer, unit TimeUnit, d phasetype.Dist, scores *Scores) error {
	return distribution.Write(w, unit, d, scores)
}

// WriteMAP writes an arrival process as a file that a model can refer to, see [distribution.WriteMAP].
func WriteMAP(w io.Writer, unit TimeUnit, m phasetype.MAP, scores *Scores) error {
	return distribution.WriteMAP(w, unit, m, scores)
}
