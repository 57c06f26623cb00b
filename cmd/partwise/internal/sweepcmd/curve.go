package sweepcmd

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

//go:embed curve.txt
var curveHelp string

// ratios is what pictures of curves and of merged shards show.
const ratios = "response times, ratio and repartitioning"

// Curve returns the command that solves studies over their loads.
func Curve() cli.Command {
	return cli.WithOptions(func() *points.Options { return points.NewOptions(ratios) }, curve, cli.Described(curveHelp, cli.Command{
		MaxArgs: values.MostStudies,
		Formats: []string{"csv", "json", "markdown", "table"},
	}))
}

func curve(inv *cli.Invocation, o *points.Options) error {
	if err := input.RefuseQueues(inv); err != nil {
		return err
	}
	r, err := points.NewRun(inv, o)
	if err != nil {
		return err
	}
	var studies []*points.Study
	for _, study := range r.Studies {
		s := points.New(study, study.Loads)
		s.CompareCandidates(inv, study, r.Settings())
		studies = append(studies, s)
		if err := refuseTooLarge(inv, study, r.Settings()); err != nil {
			return err
		}
		for _, one := range study.Series {
			system := one.Model.System
			input.TellTime(inv, system, policy.Candidates(system.Machine()), r.Settings(), s.Loads)
		}
	}
	return r.Execute(inv, &curveView, studies)
}

// refuseTooLarge returns an error if the chain of dynamic partitioning is too large in every series of a study. The size does
// not depend on the load, so that no point could compare anything. A chain that is only too large for the memory allowed is
// not refused: the points then have the other policies, and --memory may be raised.
func refuseTooLarge(inv *cli.Invocation, study *modelfile.Study, set markov.Settings) error {
	set.Memory = inv.Memory
	var first error
	for _, one := range study.Series {
		err := decide.CheckSize(inv.Context, one.Model.System, policy.Dynamic{}, set)
		if !errors.Is(err, markov.ErrTooLarge) || parallel.IsShortOf(err, parallel.Memory) {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("%s: at every load: %w", one.Name, err)
		}
	}
	return input.MethodError(set.Method, first)
}

// curveView shows a table of each series, with some of the loads if there are many.
var curveView = points.View{
	Results: output.NoCSV, Lists: curveLists, Notes: curveNotes, Short: (*points.Study).ShortCrossingSentences,
}

func curveLists(s *points.Study) []*output.List {
	all := []*output.List{s.Rows()}
	for i, one := range s.Series {
		if solved := s.Solved(i); len(solved) > 0 {
			all = append(all, points.SeriesTables(one.Name, one.TimeUnit, solved, points.Thinned(len(solved)))...)
		}
	}
	return all
}

func curveNotes(s *points.Study) []string {
	all := s.CrossingSentences()
	if points.Thinned(s.Loads) > 1 && len(all) > 0 {
		all = append(all, fmt.Sprintf("The tables show some of the %d loads; --format csv has all.", s.Loads))
	}
	return all
}
