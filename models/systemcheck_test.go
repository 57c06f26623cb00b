package models_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// fourPartitions is a system with nothing wrong.
func fourPartitions() *models.System {
	s := machine(8, poisson(0.5), must(phasetype.BalancedHyperexponential(1, 2)), linear)
	s.MinNodes, s.Service = 2, s.Service[:4]
	c := must(phasetype.Exponential(20))
	s.Shrink, s.Expand = []phasetype.Dist{{}, c, c, c}, []phasetype.Dist{c, c, c}
	s.Setup = map[int]phasetype.Dist{2: c}
	s.PhaseMap = map[models.Change]*mat.Dense{{From: 1, To: 2}: mat.NewDense(2, 2, []float64{0.9, 0.1, 0.2, 0.8})}
	return s
}

// mistakes are systems with one thing wrong, by the field that it is in.
var mistakes = []struct {
	field string
	make  func(s *models.System)
}{
	{"Nodes", func(s *models.System) { *s = models.System{} }},
	{"Nodes", func(s *models.System) { s.Nodes = -8 }},
	{"MinNodes", func(s *models.System) { s.MinNodes = 0 }},
	{"MinNodes", func(s *models.System) { s.MinNodes = -1 }},
	{"MinNodes", func(s *models.System) { s.MinNodes = 3 }},
	{"Arrivals", func(s *models.System) { s.Arrivals = phasetype.MAP{} }},
	{"Service", func(s *models.System) { s.Service = nil }},
	{"Service", func(s *models.System) { s.Service = s.Service[:3] }},
	{"Service[1]", func(s *models.System) { s.Service[1] = phasetype.Dist{} }},
	{"Service[3]", func(s *models.System) {
		s.Service[3] = must(phasetype.New([]float64{0.5, 0.3}, mat.NewDense(2, 2, []float64{-1, 0, 0, -1})))
	}},
	{"Service[2]", func(s *models.System) { s.Service[2] = must(phasetype.Exponential(1)) }},
	{"Demand", func(s *models.System) { s.Speedup = workload.Linear{} }},
	{"Speedup", func(s *models.System) {
		s.Demand = must(phasetype.Exponential(1))
		s.Speedup = must(workload.NewSpeedup("table", 1, 1, 4, 2))
	}},
	{"Shrink[4]", func(s *models.System) { s.Shrink = append(s.Shrink, s.Shrink[1]) }},
	{"Expand[3]", func(s *models.System) { s.Expand = append(s.Expand, s.Expand[0]) }},
	{"PhaseMap[0→1]", func(s *models.System) { s.PhaseMap[models.Change{From: 0, To: 1}] = identity(2) }},
	{"PhaseMap[4→5]", func(s *models.System) { s.PhaseMap[models.Change{From: 4, To: 5}] = identity(2) }},
	{"PhaseMap[2→2]", func(s *models.System) { s.PhaseMap[models.Change{From: 2, To: 2}] = identity(2) }},
	{"PhaseMap[2→3]", func(s *models.System) { s.PhaseMap[models.Change{From: 2, To: 3}] = nil }},
	{"PhaseMap[2→3]", func(s *models.System) { s.PhaseMap[models.Change{From: 2, To: 3}] = identity(3) }},
	{"PhaseMap[1→2]", func(s *models.System) { s.PhaseMap[models.Change{From: 1, To: 2}].Set(0, 1, -0.1) }},
	{"PhaseMap[1→2]", func(s *models.System) { s.PhaseMap[models.Change{From: 1, To: 2}].Set(0, 1, 0.2) }},
	{"Setup[3]", func(s *models.System) { s.Setup[3] = s.Setup[2] }},
	{"Setup[0]", func(s *models.System) { s.Setup[0] = s.Setup[2] }},
}

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// asks are the functions that compute something from a system and can fail.
var asks = map[string]func(t *testing.T, s *models.System) error{
	"Check":           func(_ *testing.T, s *models.System) error { return s.Check() },
	"Chain":           chainOf(policy.Dynamic{}),
	"Chain capped":    chainOf(policy.Capped{Jobs: 2}),
	"Chain smoothing": chainOf(policy.Smoothing{Mean: 1, SCV: 1}),
	"Chain static":    chainOf(policy.Static{Partitions: 2}),
	"StateChain": func(t *testing.T, s *models.System) error {
		return second(s.StateChain(t.Context(), policy.Dynamic{}, nil))
	},
	"WithArrivalRate": func(_ *testing.T, s *models.System) error { return second(s.WithArrivalRate(1)) },
	"LargestShare":    func(_ *testing.T, s *models.System) error { return second(s.LargestShare(0)) },
	"WithLoad":        func(_ *testing.T, s *models.System) error { return second(s.WithLoad(0.5)) },
	"decide.CheckSize": func(t *testing.T, s *models.System) error {
		return decide.CheckSize(t.Context(), s, policy.Dynamic{}, markov.Settings{})
	},
	"decide axis scv": func(_ *testing.T, s *models.System) error {
		err := second(over("scv").At(s, 2))
		if errors.Is(err, decide.ErrPhaseMap) {
			return nil
		}
		return err
	},
	"DEP.Solve": func(t *testing.T, s *models.System) error {
		return second((&models.DEP{System: s}).Solve(t.Context(), markov.Settings{}))
	},
	"DEP.Solve, resized jobs stop": func(t *testing.T, s *models.System) error {
		if s != nil {
			s = stopping(s, models.ResizedStop)
		}
		return second((&models.DEP{System: s}).Solve(t.Context(), markov.Settings{}))
	},
	"DEP.Queue": func(_ *testing.T, s *models.System) error { return second((&models.DEP{System: s}).Queue()) },
	"DEP.ResponseTime": func(t *testing.T, s *models.System) error {
		return second((&models.DEP{System: s}).ResponseTime(t.Context(), "", nil))
	},
	"SP.Solve": func(t *testing.T, s *models.System) error {
		return second((&models.SP{System: s, Partitions: 2}).Solve(t.Context(), markov.Settings{}))
	},
	"SP.Queue": func(_ *testing.T, s *models.System) error {
		return second((&models.SP{System: s, Partitions: 2}).Queue())
	},
	"SP.Service": func(_ *testing.T, s *models.System) error {
		return second((&models.SP{System: s, Partitions: 2}).Service())
	},
	"Smoothed.Solve": func(t *testing.T, s *models.System) error {
		return second((&models.Smoothed{System: s, Minimum: must(phasetype.Exponential(1))}).Solve(t.Context(), markov.Settings{}))
	},
	"Resizing.Solve": func(t *testing.T, s *models.System) error {
		return second((&models.Resizing{System: s}).Solve(t.Context(), markov.Settings{}))
	},
	"NewSharing": func(_ *testing.T, s *models.System) error { return second(models.NewSharing(s)) },
	"decide.Solve": func(t *testing.T, s *models.System) error {
		return second(decide.Solve(t.Context(), s, []policy.Policy{policy.Dynamic{}}, markov.Settings{}, 1))
	},
	"decide.SolvePartly": func(t *testing.T, s *models.System) error {
		d, err := decide.SolvePartly(t.Context(), s, []policy.Policy{policy.Dynamic{}}, markov.Settings{}, 1)
		if err == nil && len(d.Failed) > 0 {
			err = d.Failed[0].Err
		}
		return err
	},
	"decide.BestStatic": func(t *testing.T, s *models.System) error {
		return second(decide.BestStatic(t.Context(), s, 0, 1))
	},
	"decide.Seconds": func(t *testing.T, s *models.System) error {
		return second(decide.Seconds(t.Context(), s, []policy.Policy{policy.Dynamic{}}, markov.Settings{}))
	},
	"decide.Sensitivity": func(t *testing.T, s *models.System) error {
		return second(decide.Sensitivity(t.Context(), s, markov.Settings{}, 1))
	},
	"decide.ShareAxis": func(_ *testing.T, s *models.System) error { return second(decide.ShareAxis(s, 0)) },
	"decide.Optimal": func(t *testing.T, s *models.System) error {
		return second(decide.Optimal(t.Context(), s, decide.OptimumSettings{}))
	},
	"decide.Breakeven over load":     breakevenOf(over("load")),
	"decide.Breakeven over overhead": breakevenOf(over("dynamic.overhead")),
	"decide.Breakeven over scv":      breakevenOf(over("scv")),
	"decide.Sweep": func(t *testing.T, s *models.System) error {
		w := decide.Sweep{Series: []decide.Series{{Name: "s", System: s}}, Loads: []float64{0.5}}
		points, err := w.Solve(t.Context())
		return errors.Join(err, points[0].Err)
	},
	"decide.Sweep at its own rate": func(t *testing.T, s *models.System) error {
		points, err := (&decide.Sweep{Series: []decide.Series{{Name: "s", System: s}}}).Solve(t.Context())
		return errors.Join(err, points[0].Err)
	},
}

func second[T any](_ T, err error) error { return err }

func chainOf(p policy.Policy) func(*testing.T, *models.System) error {
	return func(t *testing.T, s *models.System) error { return second(s.Chain(p)) }
}

func breakevenOf(axis decide.Axis) func(*testing.T, *models.System) error {
	return func(t *testing.T, s *models.System) error {
		return second((&decide.Breakeven{System: s, Axis: axis, Steps: 2}).Solve(t.Context()))
	}
}

// TestWrongSystems: whatever is asked of a system that is wrong gives an error that says which field, and never panics.
func TestWrongSystems(t *testing.T) {
	if err := fourPartitions().Check(); err != nil {
		t.Fatalf("nothing is wrong, but %v", err)
	}
	for _, m := range mistakes {
		s := fourPartitions()
		m.make(s)
		for name, ask := range asks {
			err := ask(t, s)
			var found *models.SystemError
			if !errors.As(err, &found) || found.Field != m.field {
				t.Errorf("wrong %s: %s returns %v", m.field, name, err)
			}
		}
		harmless(t.Context(), s)
	}
	for name, ask := range asks {
		var found *models.SystemError
		if err := ask(t, nil); !errors.As(err, &found) || found.Field != "" {
			t.Errorf("no system: %s returns %v", name, err)
		}
	}
}

// harmless calls what computes nothing from the fields that it does not read, and must not panic either.
func harmless(ctx context.Context, s *models.System) {
	s.Machine().Divisors()
	_ = []float64{s.Capacity(), s.Load(), float64(s.Partitions())}
	s.Free()
	s.StopsMatter()
	for i := -1; i < 6; i++ {
		s.ShrinkTo(i)
		s.ExpandTo(i)
	}
	_, _ = s.With(models.Changes{Run: models.Times(2)})
	_, _ = s.ServiceTimes()
	s.Widest()
	s.Rigid()
	_, _ = s.AskingClasses()
	decide.OverheadRange(s)
	decide.Candidates(ctx, s, markov.Settings{})
	decide.SplitByChain(s, policy.Standard(), &policy.Selection{Run: []policy.Policy{policy.Dynamic{}}, Named: []policy.Policy{policy.Dynamic{}}})
}

// TestWrongSystemsAreAskedEverything: the tests above miss no function.
func TestWrongSystemsAreAskedEverything(t *testing.T) {
	others := []string{"Machine", "Partitions", "Capacity", "Load", "Free", "StopsMatter", "ShrinkTo", "ExpandTo",
		"With", "ServiceTimes", "WithShare", "Widest", "Rigid", "AskingClasses",
		"decide.OverheadRange", "decide.Candidates", "decide.SplitByChain"} // see harmless
	of := reflect.TypeFor[*models.System]()
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		if _, asked := asks[name]; !asked && !slices.Contains(others, name) {
			t.Errorf("System.%s is not asked", name)
		}
	}
	files, err := filepath.Glob("decide/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "decide" || fn.Recv != nil || !fn.Name.IsExported() || !takesSystem(fn) {
				continue
			}
			name := "decide." + fn.Name.Name
			if _, asked := asks[name]; !asked && !slices.Contains(others, name) {
				t.Errorf("decide.%s is not asked", fn.Name.Name)
			}
		}
	}
}

func takesSystem(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "System" {
				return true
			}
		}
	}
	return false
}

// TestWrongModels: so do chains with parameters of their own that are wrong.
func TestWrongModels(t *testing.T) {
	s := fourPartitions()
	for name, m := range map[string]models.Model{
		"no partitions":       &models.SP{System: s},
		"three partitions":    &models.SP{System: s, Partitions: 3},
		"too many partitions": &models.SP{System: s, Partitions: 8},
		"a negative cap":      &models.DEP{System: s, Cap: -1},
		"no minimum time":     &models.Smoothed{System: s},
		"a minimum time that may be zero": &models.Smoothed{System: s,
			Minimum: must(phasetype.New([]float64{0.5}, mat.NewDense(1, 1, []float64{-1})))},
	} {
		if _, err := m.Solve(t.Context(), markov.Settings{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (&decide.Breakeven{System: s}).Solve(t.Context()); err == nil {
		t.Error("an axis that does not say what it varies is walked")
	}
	if got := (&models.System{}).Capacity(); !math.IsNaN(got) {
		t.Errorf("the zero system has the capacity %v", got)
	}
}

// What is wrong is said by field.
func TestSystemErrorText(t *testing.T) {
	s := fourPartitions()
	s.Service[2] = must(phasetype.Exponential(1))
	for _, c := range []struct {
		s    *models.System
		want string
	}{
		{nil, "models: system: there is none"},
		{&models.System{}, "models: system: Nodes is 0; a machine has at least one"},
		{&models.System{Nodes: 8, MinNodes: 3}, "models: system: MinNodes is 3, which does not divide the 8 nodes"},
		{&models.System{Nodes: 8, MinNodes: 2}, "models: system: Arrivals is the zero process: no jobs arrive"},
		{&models.System{Nodes: 8, MinNodes: 2, Arrivals: poisson(1)},
			"models: system: Service has 0 entries for N = 4 partitions"},
		{s, "models: system: Service[2] is of order 1, Service[0] of order 2: all need the same number of phases"},
	} {
		if err := c.s.Check(); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// over returns the axis of a name.
func over(name string) decide.Axis {
	all := decide.Axes()
	return all[slices.IndexFunc(all, func(a decide.Axis) bool { return a.Name == name })]
}
