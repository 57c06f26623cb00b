package epochs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/policy"
)

// Choice is a policy that an experiment compares. Policies that differ only in a varied K are one series.
type Choice struct {
	policy.Policy
	Series string
	K      int // the varied K; -1 if the policy has a K of its own, or none
}

// Check returns the error of the policy on a machine, or that there is no policy.
func (c Choice) Check(m policy.Machine) error {
	if c.Policy == nil {
		return errors.New("epochs: there is no policy")
	}
	return c.Policy.Check(m)
}

// Choices reads policies. A policy that takes K, and is written without it, gets each value of ks.
func Choices(table policy.Table, texts []string, ks []int) (all []Choice, err error) {
	for _, text := range texts {
		varied := []int{-1}
		e, known := table.Named(text)
		if known && ks != nil && strings.HasPrefix(e.Parameter, "K") {
			varied = ks
		}
		for _, k := range varied {
			written, series := text, ""
			if k >= 0 {
				written, series = fmt.Sprintf("%s:%d", text, k), e.Name
			}
			p, err := table.Parse(written)
			if err != nil {
				return nil, err
			}
			all = append(all, Choice{p, cmp.Or(series, p.String()), k})
		}
	}
	return all, nil
}

// Defaults returns the policies that an experiment compares where nobody names others. varied says that K is varied.
func (e Experiment) Defaults(varied bool) []string {
	switch {
	case e == OpenExperiment:
		return []string{"dynamic", "easy", "buddy", "equi", "opt:1", "heuristic:1"}
	case varied:
		return []string{"buddy", "equi", "opt:1", "hybrid", "heuristic"}
	}
	return []string{"buddy", "equi", "opt:1", "hybrid:1", "heuristic:1"}
}

// SeriesOf returns the names of the series of choices, in their order.
func SeriesOf(chosen []Choice) (names []string) {
	for _, c := range chosen {
		if !slices.Contains(names, c.Series) {
			names = append(names, c.Series)
		}
	}
	return names
}

// Rules returns how the policies that make schedules of a quantum are written.
func Rules(table policy.Table) (all []string) {
	for _, e := range table {
		p, _ := table.Parse(e.Example)
		if _, ok := p.(policy.Epochs); ok {
			all = append(all, e.Syntax())
		}
	}
	return all
}
