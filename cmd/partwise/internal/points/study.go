package points

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/sweep"
)

// Study is a study with its points, and what results say of it beside the points.
type Study struct {
	*sweep.Study
	// Assumed is what the model files leave open.
	Assumed []output.Assumption `json:"assumed,omitempty"`
	// LeftOut are the policies that are not compared.
	LeftOut []output.LeftOut `json:"left_out,omitempty"`
	beside  bool             // there are several studies
}

// New returns a study with its points at the loads, none of them solved, see [sweep.New].
func New(study *modelfile.Study, loads []float64) *Study {
	return &Study{Study: sweep.New(study, loads), Assumed: input.Assumed(study.Assumed())}
}

// CompareCandidates notes in each series the policies that are compared on a model, see [input.Candidates].
func (s *Study) CompareCandidates(inv *cli.Invocation, study *modelfile.Study, set markov.Settings) {
	for i, one := range study.Series {
		candidates, left := input.Candidates(inv, one.Model, set)
		s.Compare(i, candidates)
		s.Leave(i, left)
	}
}

// Leave notes the policies that are not compared in series i.
func (s *Study) Leave(i int, left []output.LeftOut) {
	for _, l := range left {
		l.Series = s.Series[i].Name
		s.LeftOut = append(s.LeftOut, l)
	}
}

// parameters returns the values of a series on the axes, as numbers where they are.
func (s *Study) parameters(of *sweep.Series) output.Object {
	o := output.Object{}
	for i, path := range s.Axes {
		if v, ok := measure.ParseDecimal(of.At[i]); ok {
			o.Add(path, v)
		} else {
			o.Add(path, of.At[i])
		}
	}
	return o
}
