package models

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// SystemError tells which field of a [System] is not valid.
type SystemError struct {
	Field   string // such as Service[2], counted from 0; empty if the system is nil
	Problem string
}

func (e *SystemError) Error() string {
	if e.Field == "" {
		return "models: system: " + e.Problem
	}
	return "models: system: " + e.Field + " " + e.Problem
}

func wrong(field, format string, args ...any) error {
	return &SystemError{field, fmt.Sprintf(format, args...)}
}

// Check returns a *[SystemError] if the system is not valid, else nil.
func (s *System) Check() error {
	switch {
	case s == nil:
		return wrong("", "there is none")
	case s.Nodes < 1:
		return wrong("Nodes", "is %d; a machine has at least one", s.Nodes)
	case s.MinNodes < 1:
		return wrong("MinNodes", "is %d; a job runs on at least one node", s.MinNodes)
	case s.Nodes%s.MinNodes != 0:
		return wrong("MinNodes", "is %d, which does not divide the %d nodes", s.MinNodes, s.Nodes)
	case s.Arrivals.Phases() == 0:
		return wrong("Arrivals", "is the zero process: no jobs arrive")
	case len(s.Service) != s.Partitions():
		return wrong("Service", "has %s for N = %s", words.Count(len(s.Service), "entry"), words.Count(s.Partitions(), "partition"))
	case s.Stops != "" && s.Stops != AllStop && s.Stops != ResizedStop:
		return wrong("Stops", "is %q; use %s or %s", s.Stops, AllStop, ResizedStop)
	}
	return cmp.Or(s.checkService(), s.checkKinds(), s.checkSetup(), checkOverheads("Shrink", s.Shrink, s.Partitions()),
		checkOverheads("Expand", s.Expand, s.Partitions()-1), s.checkChanges())
}

// checkService checks that run times are not zero. All must have the same number of phases, so that jobs can keep their
// phase when they are resized.
func (s *System) checkService() error {
	for i, b := range s.Service {
		if problem := timeProblem(b); problem != "" {
			return wrong(fmt.Sprintf("Service[%d]", i), "%s", problem)
		}
		if m := s.Service[0].Phases(); b.Phases() != m {
			return wrong(fmt.Sprintf("Service[%d]", i), "is of order %d, Service[0] of order %d: all need the same number of phases", b.Phases(), m)
		}
	}
	return nil
}

func (s *System) checkSetup() error {
	for _, k := range slices.Sorted(maps.Keys(s.Setup)) {
		if k < 1 || s.Partitions()%k != 0 {
			return wrong(fmt.Sprintf("Setup[%d]", k), "belongs to no static partitioning; K = %v", s.Machine().Divisors())
		}
	}
	return nil
}

// timeProblem returns what is wrong with a time that every job takes, "" if nothing is. The time must not be zero.
func timeProblem(d phasetype.Dist) string {
	switch {
	case d.IsZero():
		return "is zero; jobs take time"
	case d.Atom() > 0:
		return fmt.Sprintf("is zero with probability %.3g; jobs take time", d.Atom())
	}
	return ""
}

// checkOverheads checks that only the first entries of a list, up to last, have costs: later entries belong to no
// repartition.
func checkOverheads(field string, list []phasetype.Dist, last int) error {
	for i := last; i < len(list); i++ {
		if !list[i].IsZero() {
			return wrong(fmt.Sprintf("%s[%d]", field, i), "belongs to no repartition; the last is %s[%d]", field, last-1)
		}
	}
	return nil
}

// checkChanges checks the PhaseMap. Its entries are sorted, so that the same mistake is reported every time.
func (s *System) checkChanges() error {
	byFromTo := func(a, b Change) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) }
	for _, change := range slices.SortedFunc(maps.Keys(s.PhaseMap), byFromTo) {
		if err := s.checkChange(change, s.PhaseMap[change]); err != nil {
			return err
		}
	}
	return nil
}

// checkChange checks a matrix of PhaseMap and the change to which it belongs.
func (s *System) checkChange(change Change, phi *mat.Dense) error {
	field := fmt.Sprintf("PhaseMap[%d→%d]", change.From, change.To)
	n, m := s.Partitions(), s.Service[0].Phases()
	switch { // changes by more than one job occur with smoothing
	case min(change.From, change.To) < 1 || max(change.From, change.To) > n || change.From == change.To:
		return wrong(field, "is no change among 1..%d running jobs", n)
	case phi == nil:
		return wrong(field, "is nil; leave it out to keep phases")
	}
	if rows, cols := phi.Dims(); rows != m || cols != m {
		return wrong(field, "is %d×%d, jobs have %d phases", rows, cols, m)
	}
	for i := range m {
		row := phi.RawRowView(i)
		if sum := floats.Sum(row); !(floats.Min(row) >= 0 && markov.SumsToOne(sum)) {
			return wrong(field, "row %d, %v, is no distribution: it sums to %.12g", i, row, sum)
		}
	}
	return nil
}

// maxPartitions bounds the number of service times of a system. So many are made in two seconds.
const maxPartitions = 1_000_000

// speedupProblem returns what is wrong with a speedup S, "" if nothing is. S(1) must be 1 up to rounding, unless a table does
// not cover one node. Speedups of package workload must have parameters that [workload.NewSpeedup] accepts.
func speedupProblem(s workload.Speedup) string {
	const rounding = 1e-9
	ranged, is := s.(workload.Ranged)
	if one := s.At(1); (!is || ranged.Covers(1)) && !(math.Abs(one-1) <= rounding) {
		return fmt.Sprintf("is %v on one node; it is 1 by definition", one)
	}
	var e *workload.ParameterError
	if _, err := workload.ParseSpeedup(workload.SpeedupText(s)); errors.As(err, &e) && e.Parameter != "" {
		return fmt.Sprintf("%v is wrong: %s: %s", s, e.Parameter, e.Problem)
	}
	return ""
}
