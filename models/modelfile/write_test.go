package modelfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
)

// rewritten writes a model and reads it back.
func rewritten(m *modelfile.Model) (again *modelfile.Model, text string, err error) {
	var b bytes.Buffer
	if err := modelfile.WriteModel(&b, m); err != nil {
		return nil, "", err
	}
	again, err = modelfile.Parse("again.yaml", b.Bytes())
	return again, b.String(), err
}

// drawTimes draws n distributions, all of one order if they are positive.
func drawTimes(t *rapid.T, n int, positive bool) []phasetype.Dist {
	all := make([]phasetype.Dist, n)
	first := phasetype.Dist{}
	for i := range all {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			all[i] = phasetype.Must(phasetype.Erlang(3, rapid.Float64Range(0.1, 10).Draw(t, "mean")))
		case 1:
			all[i] = phasetype.Must(phasetype.Coxian([]float64{3, 2, 0.1}, []float64{0.7, 1e-9}))
		case 2:
			all[i] = phasetype.Must(phasetype.Hyperexponential([]float64{0.2, 0.3, 0.5}, []float64{3, 1, 0.3}))
		case 3:
			if !positive {
				all[i] = phtest.Dist(t, 3)
			} else if first = phtest.Dist(t, 3); first.Atom() > 0 || first.Phases() != 3 {
				all[i] = phasetype.Must(phasetype.Erlang(3, 7))
			} else {
				all[i] = first
			}
		}
	}
	return all
}

// drawSystem draws a system with all that a file can say.
func drawSystem(t *rapid.T) *models.System {
	unit := rapid.IntRange(1, 3).Draw(t, "min_nodes")
	n := rapid.IntRange(1, 5).Draw(t, "partitions")
	s := &models.System{Nodes: n * unit, MinNodes: unit, Arrivals: phtest.MAP(t, 2)}
	switch rapid.IntRange(0, 2).Draw(t, "jobs") {
	case 0:
		s.Service = drawTimes(t, n, true)
		s.PhaseMap = drawPhaseMap(t, n)
	case 1:
		s = drawClasses(t, s)
	default:
		demand := drawTimes(t, 1, true)[0]
		dowdy, err := workload.NewSpeedup("dowdy", 7)
		if err != nil {
			t.Fatal(err)
		}
		speedup := rapid.SampledFrom([]workload.Speedup{workload.Linear{}, workload.Amdahl{Serial: 0.1},
			workload.Power{Exponent: 1. / 3}, workload.Downey{A: 3.3, Sigma: 0.7}, dowdy,
			logarithmic{}}).Draw(t, "speedup")
		made, err := models.NewSystem(n*unit, unit, s.Arrivals, demand, speedup)
		if err != nil {
			t.Fatal(err)
		}
		s = made
		if _, unnamed := speedup.(logarithmic); !unnamed {
			s.JobNodes = rapid.SampledFrom([]int{0, unit, n * unit}).Draw(t, "nodes")
		}
	}
	s.Shrink = drawTimes(t, rapid.IntRange(0, n).Draw(t, "shrinks"), false)
	s.Stops = rapid.SampledFrom([]models.Stops{"", models.AllStop, models.ResizedStop}).Draw(t, "stops")
	s.Expand = drawTimes(t, rapid.IntRange(0, n-1).Draw(t, "expands"), false)
	for _, k := range s.Machine().Divisors() {
		if rapid.Bool().Draw(t, "setup") {
			if s.Setup == nil {
				s.Setup = map[int]phasetype.Dist{}
			}
			s.Setup[k] = drawTimes(t, 1, false)[0]
		}
	}
	return s
}

// drawClasses returns the system with jobs of one to three classes, the first of which arrives.
func drawClasses(t *rapid.T, s *models.System) *models.System {
	var all []models.Class
	for i, demand := range drawTimes(t, rapid.IntRange(1, 3).Draw(t, "classes"), true) {
		all = append(all, models.Class{Name: fmt.Sprint("class ", i), Demand: demand,
			Share:    rapid.Float64Range(0, 3).Draw(t, "share") + float64(1/(i+1)),
			Speedup:  rapid.SampledFrom([]workload.Speedup{workload.Linear{}, workload.Amdahl{Serial: 0.1}}).Draw(t, "speedup"),
			MaxNodes: rapid.SampledFrom([]int{0, s.MinNodes, s.Nodes}).Draw(t, "most"),
			Nodes:    rapid.SampledFrom([]int{0, s.MinNodes, s.Nodes}).Draw(t, "nodes")})
	}
	made := &models.System{Nodes: s.Nodes, MinNodes: s.MinNodes, Arrivals: s.Arrivals, Classes: all}
	var err error
	made.Service, err = made.ServiceTimes()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func drawPhaseMap(t *rapid.T, n int) map[models.Change]*mat.Dense {
	all := map[models.Change]*mat.Dense{}
	for from := 1; from < n; from++ {
		for _, c := range []models.Change{{From: from, To: from + 1}, {From: from + 1, To: from}} {
			if rapid.Bool().Draw(t, "mapped") {
				phi := mat.NewDense(3, 3, nil)
				for i := range 3 {
					p := rapid.Float64Range(0, 1).Draw(t, "p")
					phi.SetRow(i, []float64{p / 3, p / 3, 1 - p/3 - p/3})
				}
				all[c] = phi
			}
		}
	}
	return all
}

// logarithmic is a speedup that files cannot name.
type logarithmic struct{}

func (logarithmic) At(n float64) float64 { return 1 + math.Log(n) }

// sameSystem compares systems to the last bit; lists of costs may have zeros at their end, and of a speedup without a
// name the service times are left.
func sameSystem(s, r *models.System) error {
	for i := 1; i <= s.Partitions(); i++ {
		if !reflect.DeepEqual(s.ShrinkTo(i), r.ShrinkTo(i)) || !reflect.DeepEqual(s.ExpandTo(i), r.ExpandTo(i)) {
			return fmt.Errorf("costs of %d jobs differ", i)
		}
		if n := float64(s.Nodes) / float64(i); r.Speedup != nil && s.Speedup.At(n) != r.Speedup.At(n) {
			return fmt.Errorf("speedup of %v nodes differs", n)
		}
	}
	a, b := *s, *r
	for _, x := range []*models.System{&a, &b} {
		x.Shrink, x.Expand = nil, nil
		if len(x.PhaseMap) == 0 {
			x.PhaseMap = nil
		}
		if _, unnamed := s.Speedup.(logarithmic); unnamed {
			x.Speedup, x.Demand = nil, phasetype.Dist{}
		}
	}
	if !reflect.DeepEqual(a, b) {
		return errors.New(cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
	return nil
}

func TestWrittenModelsAreReadAsTheyWere(t *testing.T) {
	unit, err := measure.TimeUnitNamed("min")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := &modelfile.Model{Title: rapid.StringMatching(`[ -~é]{1,20}`).Draw(t, "title"), TimeUnit: unit, System: drawSystem(t)}
		again, text, err := rewritten(m)
		if err != nil {
			t.Fatal(err)
		}
		if again.Title != m.Title || again.TimeUnit != m.TimeUnit {
			t.Fatalf("read back %q in %v, wrote %q in %v:\n%s", again.Title, again.TimeUnit, m.Title, m.TimeUnit, text)
		}
		if err := sameSystem(m.System, again.System); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// TestFilesAreRewritten writes every model of the repository anew: the solution is the same to the last digit, and so is
// the text if it is written again.
func TestFilesAreRewritten(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"examples/*.yaml", "ips96/*.yaml", "kth-sp2/*.yaml", "refs/models/*.json",
		"../cmd/partwise/internal/modelcmd/examples/mixed.yaml"} {
		files, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			m, err := modelfile.Load(file)
			if err != nil {
				continue // a study
			}
			seen++
			again, text, err := rewritten(m)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if err := sameSystem(m.System, again.System); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if _, twice, err := rewritten(again); err != nil || twice != text {
				t.Errorf("%s: written twice: %v\n%s", file, err, cmp.Diff(text, twice))
			}
			if len(again.Expect) != len(m.Expect) || len(again.Require) != len(m.Require) {
				t.Errorf("%s: goals are lost:\n%s", file, text)
			}
			sameSolution(t, file, m.System, again.System)
		}
	}
	if seen < 17 {
		t.Errorf("only %d models", seen)
	}
}

func sameSolution(t *testing.T, file string, s, r *models.System) {
	t.Helper()
	solve := func(s *models.System) decide.Decision {
		d, err := decide.Solve(context.Background(), s, policy.Candidates(s.Machine()), markov.Settings{}, 0)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return d
	}
	a, b := solve(s), solve(r)
	for i := range a.Results {
		x, y := a.Results[i].Measures, b.Results[i].Measures
		if x.MeanResponseTime != y.MeanResponseTime || x.VarianceJobs != y.VarianceJobs {
			t.Errorf("%s, %v: mean response time %v, rewritten %v", file, a.Results[i].Policy, x.MeanResponseTime,
				y.MeanResponseTime)
		}
	}
}

func TestUnwritableModels(t *testing.T) {
	demand := phasetype.Must(phasetype.Exponential(1))
	arrivals, err := phasetype.Renewal(demand)
	if err != nil {
		t.Fatal(err)
	}
	system := func(change func(s *models.System)) *modelfile.Model {
		s, err := models.NewSystem(4, 1, arrivals, demand, workload.Linear{})
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		return &modelfile.Model{System: s}
	}
	for field, m := range map[string]*modelfile.Model{
		"": nil,
		"System.PhaseMap": system(func(s *models.System) {
			s.PhaseMap = map[models.Change]*mat.Dense{{From: 1, To: 3}: mat.NewDense(1, 1, []float64{1})}
		}),
		"System.Service[0]": system(func(s *models.System) { s.Speedup = workload.Amdahl{Serial: 0.5} }),
		"Title": func() *modelfile.Model {
			m := system(func(*models.System) {})
			m.Title = "\xff"
			return m
		}(),
	} {
		var b bytes.Buffer
		err := modelfile.WriteModel(&b, m)
		if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSpace("modelfile: cannot write the model: "+field)) || b.Len() > 0 {
			t.Errorf("%s: error %v, wrote %q", field, err, b.String())
		}
	}
	var wrong *models.SystemError
	if err := modelfile.WriteModel(&bytes.Buffer{}, &modelfile.Model{System: &models.System{}}); !errors.As(err, &wrong) {
		t.Errorf("a system that is wrong: %v", err)
	}
	if err := modelfile.WriteModel(full{}, system(func(*models.System) {})); !errors.Is(err, errFull) {
		t.Errorf("a writer that fails: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestRescaledServiceTimes: what was rescaled apart from its demand is written, and read back up to rounding.
func TestRescaledServiceTimes(t *testing.T) {
	m, err := modelfile.Load("../../testdata/ips96/w2-sp2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if m.System.Demand, err = m.System.Demand.Scale(0.1); err != nil {
		t.Fatal(err)
	}
	for i, b := range m.System.Service {
		if m.System.Service[i], err = b.Scale(0.1); err != nil {
			t.Fatal(err)
		}
	}
	again, text, err := rewritten(m)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range m.System.Service {
		if got, want := again.System.Service[i].Mean(), b.Mean(); math.Abs(got-want) > 1e-14*want {
			t.Errorf("mean of B_%d is %v, was %v\n%s", i+1, got, want, strings.TrimSpace(text))
		}
	}
}
