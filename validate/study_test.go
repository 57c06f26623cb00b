package validate_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate"
)

// The studies behind docs/simulator.md: long runs whose results are files of testdata/studies.
//
//	go test ./validate -run Study -study -timeout 2h
var update = flag.Bool("update", false, "rewrite the table of docs/simulator.md")

// coarse returns the precision that a test asks for, three times as coarse without -long: a simulation takes a ninth of the
// jobs then. The tests compare a result with its own interval, so that they need no other bounds.
func coarse(precision float64) float64 {
	if needs.IsLong() {
		return precision
	}
	return 3 * precision
}

// studied returns the precision of a test that would take minutes at it: three times as coarse without -study.
func studied(precision float64) float64 {
	if needs.IsStudy() {
		return precision
	}
	return 3 * precision
}

// few returns the replications of a test, a quarter of them without -long: each has ten thousand jobs at least.
func few(replications int) int {
	if needs.IsLong() {
		return replications
	}
	return replications / 4
}

const studies = "../testdata/studies"

func writeStudy(t *testing.T, name string, rows [][]string) {
	t.Helper()
	if err := os.MkdirAll(studies, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(studies, name))
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(rows); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func text(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// covered counts how many of the trials have an interval that holds the exact value, measure by measure.
func covered(t *testing.T, s *models.System, trials int, o validate.Options, exact map[string]float64) map[string]int {
	t.Helper()
	hits := make([]map[string]bool, trials)
	o.Workers = 1
	err := parallel.Each(ctx, trials, 0, func(i int) error {
		o := o
		o.Seed, o.Point = 1000, uint64(i)
		sim, err := validate.Simulate(ctx, s, dynamic, o)
		if err != nil {
			return err
		}
		hits[i] = map[string]bool{}
		for name, v := range exact {
			e, ok := sim.Measure(name)
			hits[i][name] = ok && e.Low <= v && v <= e.High
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, h := range hits {
		for name, hit := range h {
			if hit {
				n[name]++
			}
		}
	}
	return n
}

// shortRuns are 20 replications of 400/(1−ρ)² jobs: the time in which a queue forgets its past grows like 1/(1−ρ)².
func shortRuns(rho float64) validate.Options {
	return validate.Options{Replications: 20, MaxJobs: 20 * int64(400/((1-rho)*(1-rho))), Precision: 1e-9}
}

var coverageInstances = []string{"03_n2_allexp", "06_n3_phi", "07_n4_erlang", "13_W1_SP2_Aexp_Bcv_U30",
	"17_W1_SP2_Aexp_B2cv_U50", "20_W2_NOW_Aexp_Bcv_U40", "22_W3_SP2_Aexp_Bcv_U50"}

func TestCoverageStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	trials, instances := 1000, coverageInstances
	if !needs.IsStudy() {
		trials, instances = 20, []string{"03_n2_allexp"}
	}
	// Four standard errors of the share of the trials; the study is held to what it is to show.
	room := 4 * math.Sqrt(0.95*0.05/float64(trials))
	if needs.IsStudy() {
		room = 0.02
	}
	all := references(t)
	rows := [][]string{{"instance", "traffic_intensity", "measure", "trials", "covered", "coverage"}}
	for _, name := range instances {
		r, ok := all[name]
		if !ok {
			t.Fatalf("no instance %s", name)
		}
		exact := map[string]float64{}
		for _, measure := range []string{"mean_response_time", "probability_repartition"} {
			exact[measure] = r.Expected.Dynamic[measure].(float64)
		}
		rho := r.Expected.Dynamic["traffic_intensity"].(float64)
		n := covered(t, r.system(t), trials, shortRuns(rho), exact)
		for _, measure := range []string{"mean_response_time", "probability_repartition"} {
			share := float64(n[measure]) / float64(trials)
			rows = append(rows, []string{name, text(rho), measure, strconv.Itoa(trials), strconv.Itoa(n[measure]),
				text(share)})
			if math.Abs(share-0.95) > room {
				t.Errorf("%s %s: coverage %.3f", name, measure, share)
			}
			t.Logf("%s %s: coverage %.3f", name, measure, share)
		}
	}
	if needs.IsStudy() {
		writeStudy(t, "simulator-coverage.csv", rows)
	}
}

// precisionFor is what the study of the reference instances asks for: half a per cent up to a traffic intensity of .7,
// two per cent up to .9, nothing beyond.
func precisionFor(rho float64) float64 {
	switch {
	case rho <= 0.7+1e-9:
		return 0.005
	case rho <= 0.9+1e-9:
		return 0.02
	}
	return 0
}

func TestReferenceStudy(t *testing.T) {
	needs.Concurrency(t)
	needs.Study(t, "simulates every measure of every instance to half a per cent")
	all := references(t)
	rows := [][]string{{"instance", "policy", "measure", "expected", "simulated", "standard_error", "z", "judged", "jobs"}}
	worst := 0.0
	for _, name := range sortedKeys(all) {
		r := all[name]
		s := r.system(t)
		policies := map[policy.Policy]map[string]any{dynamic: r.Expected.Dynamic}
		order := []policy.Policy{dynamic}
		for _, k := range s.Machine().Divisors() {
			if e, ok := r.Expected.Static[strconv.Itoa(k)]; ok {
				order = append(order, static(k))
				policies[static(k)] = e
			}
		}
		for _, p := range order {
			expected := policies[p]
			rho, ok := expected["traffic_intensity"].(float64)
			precision := precisionFor(rho)
			if !ok || precision == 0 {
				continue
			}
			sim := simulate(t, s, p, validate.Options{Seed: 1, Precision: precision})
			if !sim.Reached {
				t.Errorf("%s %s: precision %v", name, p, sim.Precision)
			}
			for _, e := range sim.Measures {
				want, ok := expected[e.Name].(float64)
				if !ok {
					continue
				}
				z, judged := 0.0, e.Count >= 400
				if e.Mean != want && e.StdErr > 0 {
					z = (e.Mean - want) / e.StdErr
				}
				if e.StdErr == 0 && math.Abs(e.Mean-want) > 1e-9*math.Max(want, e.Mean) && judged {
					t.Errorf("%s %s %s = %v without variation, want %v", name, p, e.Name, e.Mean, want)
				}
				if judged && math.Abs(z) > 4 {
					t.Errorf("%s %s %s = %v ± %v, want %v (z = %.2f)", name, p, e.Name, e.Mean, e.StdErr, want, z)
				}
				if judged {
					worst = math.Max(worst, math.Abs(z))
				}
				rows = append(rows, []string{name, p.String(), e.Name, text(want), text(e.Mean), text(e.StdErr), text(z),
					fmt.Sprint(judged), strconv.FormatInt(sim.Jobs, 10)})
			}
		}
		t.Logf("%s done, largest |z| so far %.2f", name, worst)
	}
	writeStudy(t, "simulator-references.csv", rows)
}

func sortedKeys(m map[string]reference) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

var loads = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

// at returns the system of a model file of testdata at a load, scaled as its kind demands.
func at(t *testing.T, path string, load float64) *models.System {
	t.Helper()
	m, err := modelfile.Load(filepath.Join("../testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.System.WithLoad(load)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the model's two simplifications, average partitions and stopping everybody, come to.
func TestFidelityStudy(t *testing.T) {
	needs.Study(t, "simulates nine loads of four systems")
	systems := map[string]func(load float64) *models.System{}
	for _, w := range []string{"w1", "w2", "w3"} {
		systems["P=8 "+w] = func(load float64) *models.System { return at(t, "ips96/"+w+"-sp2.yaml", load) }
	}
	twelve := references(t)["25_P12"].system(t)
	systems["P=12"] = func(load float64) *models.System {
		s, err := twelve.WithLoad(load)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rows := [][]string{{"system", "load", "t_model", "t_machine", "half_width", "difference", "half_width_difference",
		"p_repartition_model", "p_repartition_machine"}}
	for _, name := range []string{"P=8 w1", "P=8 w2", "P=8 w3", "P=12"} {
		for _, load := range loads {
			s := systems[name](load)
			exact := solved(t, s, dynamic)
			o := validate.Options{Fidelity: validate.MachineFidelity, Precision: 0.005}
			if load > 0.75 {
				o.Precision = 0.01
			}
			sim := simulate(t, stopping(s, models.ResizedStop), dynamic, o)
			e, _ := sim.Measure("mean_response_time")
			pr, _ := sim.Measure("probability_repartition")
			model := exact.MeanResponseTime
			rows = append(rows, []string{name, text(load), text(model), text(e.Mean), text(e.HalfWidth),
				text(e.Mean/model - 1), text(e.HalfWidth / model), text(exact.Repartitions.Probability), text(pr.Mean)})
			t.Logf("%s at %.1f: %+.2f %% ± %.2f %%", name, load, 100*(e.Mean/model-1), 100*e.HalfWidth/model)
			if !sim.Reached {
				t.Errorf("%s at %v: precision %v", name, load, sim.Precision)
			}
		}
	}
	writeStudy(t, "simulator-fidelity.csv", rows)
}

func solved(t *testing.T, s *models.System, p policy.Policy) models.Measures {
	t.Helper()
	m, err := s.Chain(p)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := m.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return exact
}

// IPS96 section 7: on workload 1 smoothing has lower mean response times than equi-partitioning, and that lower ones
// than folding. Differences are from equi-partitioning, under common random numbers.
func TestPolicyStudy(t *testing.T) {
	needs.Study(t, "simulates six policies at nine loads")
	policies := []policy.Policy{dynamic, folding}
	for _, mean := range []float64{10, 30, 100, 300} {
		policies = append(policies, policy.Smoothing{Mean: mean, SCV: 1})
	}
	rows := [][]string{{"system", "load", "policy", "mean_response_time", "half_width", "minus_dynamic",
		"half_width_difference", "variance_reduction", "response_time_p99", "p_repartition"}}
	for _, name := range []string{"w1-sp2", "w1-now", "w2-sp2", "w3-sp2"} {
		for _, load := range loads {
			s := stopping(at(t, "ips96/"+name+".yaml", load), models.ResizedStop)
			var first validate.Simulation
			for _, p := range policies {
				o := validate.Options{Fidelity: validate.MachineFidelity, Precision: 0.02}
				sim := simulate(t, s, p, o)
				if p == dynamic {
					first = sim
				}
				all := validate.Differences([]validate.Simulation{first, sim}, "mean_response_time")
				if len(all) != 1 {
					t.Fatalf("%d differences", len(all))
				}
				d := all[0]
				e, _ := sim.Measure("mean_response_time")
				q, _ := sim.Measure("response_time_p99")
				pr, _ := sim.Measure("probability_repartition")
				rows = append(rows, []string{name, text(load), p.String(), text(e.Mean), text(e.HalfWidth), text(d.Mean),
					text(d.HalfWidth), text(d.VarianceReduction), text(q.Mean), text(pr.Mean)})
			}
		}
		t.Logf("%s done", name)
	}
	writeStudy(t, "simulator-policies.csv", rows)
}

// The results of the studies that the documents speak of are there, and say what they are said to say.
func TestStudiesAreThere(t *testing.T) {
	coverage := readStudy(t, "simulator-coverage.csv")
	if len(coverage) < 10 {
		t.Errorf("coverage of %d measures", len(coverage))
	}
	for _, row := range coverage {
		if c, _ := strconv.ParseFloat(row["coverage"], 64); row["trials"] != "1000" || c < 0.93 || c > 0.97 {
			t.Errorf("%v", row)
		}
	}
	for _, row := range readStudy(t, "simulator-references.csv") {
		if z, err := strconv.ParseFloat(row["z"], 64); err != nil || row["judged"] == "true" && math.Abs(z) > 4 {
			t.Errorf("%v", row)
		}
	}
	for _, name := range []string{"simulator-fidelity.csv", "simulator-policies.csv"} {
		var seen []string
		for _, row := range readStudy(t, name) {
			if !slices.Contains(seen, row["system"]) {
				seen = append(seen, row["system"])
			}
		}
		if len(seen) != 4 {
			t.Errorf("%s: systems %v", name, seen)
		}
	}
}

// TestPolicyTable holds the table of policies in docs/simulator.md to what the study has found.
func TestPolicyTable(t *testing.T) {
	names := map[string]string{"w1-sp2": "W1, SP2", "w1-now": "W1, workstations", "w2-sp2": "W2, SP2", "w3-sp2": "W3, SP2"}
	shown := []string{"folding", "smoothing:10", "smoothing:300"}
	type key struct{ system, policy string }
	differences := map[key][]float64{} // from dynamic, in per cent
	var systems []string
	dynamic := 0.0
	for _, row := range readStudy(t, "simulator-policies.csv") {
		number := func(column string) float64 {
			x, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		if row["policy"] == "dynamic" {
			dynamic = number("mean_response_time")
		}
		if !slices.Contains(systems, row["system"]) {
			systems = append(systems, row["system"])
		}
		of := key{row["system"], row["policy"]}
		differences[of] = append(differences[of], 100*number("minus_dynamic")/dynamic)
	}
	page := "| system | `" + strings.Join(shown, "` | `") + "` |\n|---|---|---|---|\n"
	for _, system := range systems {
		page += "| " + names[system]
		for _, policy := range shown {
			all := differences[key{system, policy}]
			page += strings.ReplaceAll(fmt.Sprintf(" | %+.1f to %+.1f", slices.Min(all), slices.Max(all)), "-", "−")
		}
		page += " |\n"
	}
	phtest.HoldPage(t, "../docs/simulator.md", "policies", page, *update)
}

func readStudy(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(filepath.Join(studies, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%s: %d rows, %v", name, len(all), err)
	}
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}
