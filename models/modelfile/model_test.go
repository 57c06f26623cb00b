package modelfile

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/refs"
)

// parse reads a model that must be right.
func parse(t *testing.T, text string, sets ...tree.Set) *Model {
	t.Helper()
	m, err := Parse("m.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// near compares to a few roundings: the values come from one to ten operations on doubles.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-14*math.Abs(want) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

// dists are all forms of a distribution, with the mean and scv they have in a file whose unit is seconds. The moments
// follow from the definitions of the families.
var dists = []struct {
	text      string
	mean, scv float64
}{
	{"{exponential: {mean: 30}}", 30, 1},
	{"{exponential: {mean: 30s}}", 30, 1},
	{`{exponential: {mean: "0.5 min"}}`, 30, 1},
	{"{exponential: {rate: 4}}", 0.25, 1},
	{"{exponential: {rate: 4/h}}", 900, 1},
	{"{erlang: {mean: 4h, phases: 3}}", 14400, 1. / 3},
	{"{hyperexponential: {mean: 30s, scv: 4}}", 30, 4},
	{"{hyperexponential: {weights: [1, 3], means: [1, 2s]}}", 1.75, 2*(0.25+3)/(1.75*1.75) - 1},
	{"{coxian: {rates: [1, 2], continue: [0.5]}}", 1.25, (2*(1+0.5*0.5)+2*0.5*0.25)/(1.25*1.25) - 1},
	{"{coxian: {rates: [2], continue: []}}", 0.5, 1},
	{"{moments: {mean: 2ms, scv: 3}}", 0.002, 3},
	{"{moments: {mean: 1d, scv: 0.4}}", 86400, 0.4},
	{"{moments: {mean: 2min, scv: 2, skewness: 4}}", 120, 2},
	{"{moments: {m1: 2, m2: 12, m3: 120}}", 2, 2},
	{"{phase_type: {alpha: [1, 0], T: [[-1, 1], [0, -1]]}}", 2, 0.5},
	{"{mixture: [{name: small, weight: 2, of: {exponential: {mean: 1}}}, {weight: 2, of: {exponential: {mean: 3}}}]}", 2, 1.5},
	{"{sum: [{exponential: {mean: 1}}, {exponential: {mean: 1}}]}", 2, 0.5},
	{"{scale: {by: 2, of: {exponential: {mean: 3us}}}}", 6e-6, 1},
}

func TestDistributions(t *testing.T) {
	for _, c := range dists {
		m := parse(t, strings.Replace(small, "{exponential: {mean: 1}}", c.text, 1))
		near(t, c.text+" mean", m.System.Demand.Mean(), c.mean)
		if got := m.System.Demand.SCV(); math.Abs(got-c.scv) > 1e-12 { // a difference of moments of order 1
			t.Errorf("%s scv = %.17g, want %.17g", c.text, got, c.scv)
		}
	}
}

func TestSpeedups(t *testing.T) {
	for text, s2 := range map[string]float64{ // speedup of two nodes
		"linear":                            2,
		"{amdahl: {serial: 0.5}}":           1 / 0.75,
		"{power: {exponent: 0.5}}":          math.Sqrt2,
		"{dowdy: {beta: 3}}":                4 * 2 / 5.,
		`"dowdy-static:3,8"`:                4 * 2 / 5.,
		"{downey: {A: 4, sigma: 0}}":        2,
		"{table: {1: 1, 3: 2.5}}":           1.75,
		`{table: {"1": 1, "2": 1.9}}`:       1.9,
		"{table: {2: 1.9, 0.1e1: 1, 4: 3}}": 1.9,
		"amdahl:0.5":                        1 / 0.75,
		"'downey:4, 0'":                     2,
		"\"table:1=1,3=2.5\"":               1.75,
	} {
		m := parse(t, strings.Replace(small, "linear", text, 1))
		near(t, text+" B_1", m.System.Service[0].Mean(), 1/s2)
		near(t, text+" B_2", m.System.Service[1].Mean(), 1)
		if m.System.Speedup == nil {
			t.Error("no speedup")
		}
	}
}

func TestArrivals(t *testing.T) {
	for text, rate := range map[string]float64{
		"{rate: 0.5}": 0.5,
		"{rate: 6/h}": 6. / 3600,
		"{interarrival: {erlang: {mean: 2, phases: 3}}}":                   0.5,
		"{map: {D0: [[-2, 1], [0, -3]], D1: [[1, 0], [3, 0]]}}":            1.5,
		"{mmpp: {Q: [[-1, 1], [1, -1]], rates: [1, 2]}}":                   1.5,
		"{mmpp: {Q: [[-1, 1], [1, -1]], rates: [1, 2]}, load: 0.25}":       0.5,
		"{rate: 77, load: 0.75}":                                           1.5,
		"{interarrival: {phase_type: {alpha: [1], T: [[-1]]}}, load: 1.5}": 3,
	} {
		m := parse(t, strings.Replace(small, "{rate: 1}", text, 1))
		near(t, text+" rate", m.System.Arrivals.Rate(), rate)
	}
}

// TestRateBesideLoad: a rate that --set gives beside a load of the file changes nothing, and a warning says so.
func TestRateBesideLoad(t *testing.T) {
	for text, path := range map[string]string{"{rate: 1, load: 0.5}": "arrivals.rate", "{rate: 1}": "",
		"{interarrival: {erlang: {mean: 2, phases: 3}}, load: 0.5}": "arrivals.interarrival.mean"} {
		file := strings.Replace(small, "{rate: 1}", text, 1)
		set := tree.Set{Path: "arrivals.rate", Value: "2"}
		if path != "" {
			set.Path = path
		}
		m := parse(t, file, set)
		warned := len(m.Warnings) == 1 && strings.Contains(m.Warnings[0].Error(), "changes nothing: arrivals.load rescales the arrivals")
		if warned != (path != "") {
			t.Errorf("%s, --set %v: warnings %v", text, set, m.Warnings)
		}
	}
	if m := parse(t, strings.Replace(small, "{rate: 1}", "{rate: 1, load: 0.5}", 1)); len(m.Warnings) > 0 {
		t.Errorf("a file with rate and load: %v", m.Warnings)
	}
}

func TestTimeUnit(t *testing.T) {
	m := parse(t, "time_unit: h\n"+strings.Replace(small, "{rate: 1}", "{rate: 1/min}", 1),
		tree.Set{Path: "jobs.demand.mean", Value: "90min"})
	near(t, "rate", m.System.Arrivals.Rate(), 60)
	near(t, "demand", m.System.Demand.Mean(), 1.5)
	if m.TimeUnit.Name != "h" || m.TimeUnit.Seconds != 3600 {
		t.Errorf("unit %v", m.TimeUnit)
	}
}

func TestOverheads(t *testing.T) {
	m := parse(t, small+`
dynamic:
  shrink: [null, {phase_type: {alpha: [0.9], T: [[-2]]}}]
  expand: {means: [30ms, null], scv: 4}
static:
  setup: {by_partitions: {1: {exponential: {mean: 5}}, "2": null}}
`)
	s := m.System
	if !s.ShrinkTo(1).IsZero() || math.Abs(s.ShrinkTo(2).Atom()-0.1) > 1e-15 || len(s.Expand) != 1 {
		t.Errorf("shrink %v expand %v", s.Shrink, s.Expand)
	}
	near(t, "expand", s.ExpandTo(1).Mean(), 0.03)
	near(t, "setup", s.Setup[1].Mean(), 5)
	if !s.Setup[2].IsZero() {
		t.Error("set-up of two partitions")
	}
	m = parse(t, small+"static: {setup: {erlang: {mean: 2, phases: 2}}}\ndynamic:\n")
	near(t, "setup", m.System.Setup[2].Mean(), 2)
	if m.System.Shrink != nil {
		t.Error("shrink without any")
	}
}

func TestPhaseMap(t *testing.T) {
	text := strings.Replace(small, "{exponential: {mean: 1}}", "{erlang: {mean: 1, phases: 2}}", 1)
	m := parse(t, strings.Replace(text, "linear",
		"linear, phase_map: [{from: 2, to: 1, matrix: [[0.25, 0.75], [0, 1]]}]", 1))
	phi := m.System.PhaseMap[models.Change{From: 2, To: 1}]
	if phi == nil || phi.At(0, 1) != 0.75 || len(m.System.PhaseMap) != 1 {
		t.Errorf("phase map %v", m.System.PhaseMap)
	}
}

func TestGoals(t *testing.T) {
	m := parse(t, small+`
time_unit: min
expect:
  - {policy: dynamic, measure: mean_response_time, value: 90s}
  - {policy: "static:2", measure: throughput, value: 1/h, tolerance: 1e-3}
  - {policy: "smoothing:1h30m", measure: mean_jobs, value: 1}
require:
  - {policy: best-static, measure: mean_jobs, at_most: 3, at_least: 0}
`)
	near(t, "time", m.Expect[0].Value, 1.5)
	near(t, "rate", m.Expect[1].Value, 1./60)
	if got := m.Expect[2].Policy.String(); got != "smoothing:90" {
		t.Errorf("a minimum time of 1h30m is %s in minutes", got)
	}
	if m.Expect[0].Tolerance != defaultTolerance || m.Expect[1].Tolerance != 1e-3 {
		t.Errorf("tolerances %v", m.Expect)
	}
	r := m.Require[0]
	if *r.AtMost != 3 || *r.AtLeast != 0 || r.PolicyName() != policy.BestStatic || !strings.Contains(r.At, ":12:") ||
		!strings.HasSuffix(r.At, ": require[0]") {
		t.Errorf("requirement %+v", r)
	}
}

func TestTitleAndAliases(t *testing.T) {
	m := parse(t, "title: Ünder 'way'\n"+strings.Replace(small, "speedup: linear", "speedup: linear", 1))
	if m.Title != "Ünder 'way'" {
		t.Errorf("title %q", m.Title)
	}
	m = parse(t, small+"dynamic:\n  shrink: [&c {exponential: {mean: 3}}, *c]\n  expand: [*c]\n")
	near(t, "shared", m.System.ExpandTo(1).Mean(), 3)
	if _, err := Parse("m.yaml", []byte("&k "+small+"dynamic:\n  shrink: [{exponential: {mean: 3}}]\nload: *k\n")); err == nil {
		t.Error("the text of a key was taken for a load")
	}
	if m.Title != "m" {
		t.Errorf("title %q", m.Title)
	}
}

// TestModelsAreSystems: nothing is wrong with the systems of files that are read.
func TestModelsAreSystems(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	read := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, data)
		if err != nil {
			continue // a study
		}
		read++
		if err := m.System.Check(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, r := range references(t) {
		m, err := Parse(r.Name+".json", r.Model)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.System.Check(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	if read < 10 {
		t.Errorf("only %d files are models", read)
	}
}

func TestWarnings(t *testing.T) {
	m := parse(t, strings.Replace(small, "linear", "{table: {1: 1, 2: 0.5}}", 1))
	want := "m.yaml:4:51: jobs.speedup: jobs run slower on 2 nodes than on 1"
	if len(m.Warnings) != 1 || m.Warnings[0].Error() != want {
		t.Errorf("warnings %v", m.Warnings)
	}
}

// TestNothingUsed checks that a refused file gives no value to compute with.
func TestNothingUsed(t *testing.T) {
	if m, err := Parse("m.yaml", []byte("machine: {nodes: 2}")); m != nil || err == nil {
		t.Errorf("got %v, %v", m, err)
	}
	if _, err := Load("absent.yaml"); !os.IsNotExist(err) {
		t.Errorf("absent file: %v", err)
	}
}

// TestTestdata reads every model and study of the repository.
func TestTestdata(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../../testdata", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".ph.json") || strings.HasSuffix(path, ".map.json"):
			_, err = LoadDistribution(path)
		case strings.HasSuffix(path, ".yaml"):
			_, err = LoadStudy(path)
		default:
			return nil
		}
		read++
		if err != nil {
			t.Error(err)
		}
		return nil
	})
	if err != nil || read < 20 {
		t.Errorf("%d files, %v", read, err)
	}
}

// reference is an instance with its known results.
type reference struct {
	Name     string          `json:"name"`
	Model    json.RawMessage `json:"model"`
	Expected struct {
		ArrivalRate float64 `json:"arrival_rate"`
		Dynamic     struct {
			TrafficIntensity float64 `json:"traffic_intensity"`
		} `json:"dynamic"`
	} `json:"expected"`
}

func references(t *testing.T) []reference {
	t.Helper()
	files, err := fs.Glob(refs.Files, "models/*.json")
	if err != nil || len(files) != 14 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := make([]reference, len(files))
	for i, f := range files {
		data, err := refs.Files.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &all[i]); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	return all
}

// TestReferences reads the reference instances and compares what follows from the model alone.
func TestReferences(t *testing.T) {
	for _, r := range references(t) {
		m, err := Parse(r.Name+".json", r.Model)
		if err != nil {
			t.Error(err)
			continue
		}
		// The results are rounded to doubles; the stationary vector of a MAP takes some twenty operations.
		if got := m.System.Arrivals.Rate(); math.Abs(got-r.Expected.ArrivalRate) > 1e-13*got {
			t.Errorf("%s: rate %v, want %v", r.Name, got, r.Expected.ArrivalRate)
		}
		if got := m.System.Load(); math.Abs(got-r.Expected.Dynamic.TrafficIntensity) > 1e-13*got {
			t.Errorf("%s: load %v, want %v", r.Name, got, r.Expected.Dynamic.TrafficIntensity)
		}
	}
}

// TestSharedPhases checks that B_i made from a demand have its phases and initial vector.
func TestSharedPhases(t *testing.T) {
	m := parse(t, strings.Replace(small, "{exponential: {mean: 1}}", "{hyperexponential: {mean: 1, scv: 4}}", 1))
	want := phasetype.Must(phasetype.BalancedHyperexponential(0.5, 4))
	got := m.System.Service[0]
	for i := range 2 {
		near(t, "alpha", got.Alpha()[i], want.Alpha()[i])
		near(t, "rate", got.Rate(i, i), want.Rate(i, i))
	}
}
