package modelfile_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// solveQueue returns the mean wait of a queue at a load; 0 leaves the load to the notation.
func solveQueue(t *testing.T, notation string, load string) (wait, waits float64) {
	t.Helper()
	var sets []modelfile.Set
	if load != "" {
		sets = append(sets, modelfile.Set{Path: "arrivals.load", Value: load})
	}
	m, err := modelfile.Load(notation, sets...)
	if err != nil {
		t.Fatal(err)
	}
	solved, err := decide.Solve(t.Context(), m.System, []policy.Policy{policy.Static{Partitions: m.Servers}}, markov.Settings{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	measures := solved.Results[0].Measures
	return measures.MeanWaitingTime, measures.ProbabilityWait
}

// erlangC returns the probability that a job waits in an M/M/c queue with offered load a, by the recursion of Erlang's B.
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	rho := a / float64(c)
	return b / (1 - rho*(1-b))
}

func TestQueuesHaveTheirClosedForms(t *testing.T) {
	for _, q := range []struct {
		notation, load string
		wait, waits    float64 // negative: not known in closed form
	}{
		{"M/M/1", "0.5", 1, 0.5},
		{"M/M/4", "0.75", erlangC(4, 3) / (4 - 3), erlangC(4, 3)},
		{"M/M[mean=2]/4", "0.75", 2 * erlangC(4, 3) / (4 - 3), erlangC(4, 3)},
		{"M[rate=3]/M/4", "", erlangC(4, 3) / (4 - 3), erlangC(4, 3)},
		{"M[rate=180/min]/M/4", "", erlangC(4, 3) / (4 - 3), erlangC(4, 3)},
		{"M[mean=60s]/M[mean=0.5min]/1", "", 30, 0.5},
		// Pollaczek and Khinchine: ρ(1+c²)/(2(1−ρ)) mean service times.
		{"M/E3/1", "0.7", 0.7 * (1 + 1.0/3) / 2 / 0.3, 0.7},
		{"M/H2[scv=4]/1", "0.8", 0.8 * 5 / 2 / 0.2, 0.8},
		{"M/G[scv=0.3]/1", "0.8", 0.8 * 1.3 / 2 / 0.2, 0.8},
		{"M/GI[scv=7]/1", "0.25", 0.25 * 8 / 2 / 0.75, 0.25},
		{"M/M/2e0", "0.5", 1.0 / 3, 1.0 / 3}, // two servers: ErlangC(2, 1) = 1/3 waits for 1/(2−1)
		// E2/M/1: a job waits with probability σ, the root of σ = (2λ/(2λ+1−σ))², for σ/(1−σ) mean service times.
		{"E2/M/1", "0.5", erlangArrivals(0.5) / (1 - erlangArrivals(0.5)), erlangArrivals(0.5)},
	} {
		wait, waits := solveQueue(t, q.notation, q.load)
		if math.Abs(wait-q.wait) > 1e-11*q.wait || math.Abs(waits-q.waits) > 1e-11 {
			t.Errorf("%s at load %q: wait %.15g, want %.15g; P(wait) %.15g, want %.15g", q.notation, q.load, wait, q.wait, waits, q.waits)
		}
	}
}

// erlangArrivals returns the root σ < 1 of σ = (2λ/(2λ+1−σ))² by iteration from 0, which increases to it.
func erlangArrivals(lambda float64) float64 {
	sigma := 0.0
	for range 1000 {
		step := 2 * lambda / (2*lambda + 1 - sigma)
		sigma = step * step
	}
	return sigma
}

func TestQueueOfFiles(t *testing.T) {
	folder := t.TempDir()
	text := `{"version": 1, "kind": "phase_type", "time_unit": "min", "alpha": [1], "T": [[-2]]}`
	if err := os.WriteFile(filepath.Join(folder, "work.ph.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	wait, _ := solveQueue(t, "M/PH(work.ph.json)/1", "0.5")
	if math.Abs(wait-30) > 1e-9 {
		t.Errorf("the mean wait is %v s, not the mean service time of half a minute", wait)
	}
	if _, err := modelfile.Load("M/PH(missing.ph.json)/1",
		modelfile.Set{Path: "arrivals.load", Value: "0.5"}); !errors.As(err, new(*modelfile.QueueError)) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestWrongQueuesSayWhatWouldBeRight(t *testing.T) {
	for notation, want := range map[string]string{
		"M/M/4":                 "how many jobs arrive",
		"M/X/4":                 "M (exponential)",
		"M/D/1":                 "E100 comes close",
		"M/M/4/10":              "room for all jobs",
		"M/M/0":                 "from 1 on",
		"M/M/100000":            "at most 4096",
		"M/M/c":                 `"c" is not a number of servers`,
		"M/M/1.5e0":             `"1.5e0" is not a number of servers`,
		"M/G/1":                 "[scv=4]",
		"M/H2[scv=0.5]/1":       "G[scv=0.5]",
		"M/M[scv=2]/1":          "G[scv=2]",
		"M/M[mean=-1]/1":        "not a time above 0",
		"M[rate=0]/M/1":         "not a number above 0",
		"M/H2[scv=0,5]/2":       "write a decimal point, as in [scv=0.5]",
		"M/G[mean=2,scv=4,5]/2": "write a decimal point, as in [mean=2,scv=4.5]",
		"M[rate=1,5/h]/M/2":     "write a decimal point, as in [rate=1.5/h]",
		"M[rate=3,mean=2]/M/4":  "give one of mean and rate",
		"M/M[mean=2,mean=5]/1":  "mean is given twice",
		"M[rate=2/banana]/M/1":  "such as 2/h",
		"M/E3.5/2":              "a whole number of phases",
		"M[speed=3]/M/1":        "not scv=, mean= or rate=",
		"M/MAP(x.json)/1":       "PH(FILE)",
		"M/G[scv=banana]/":      "not a number above 0",
		"M/H2[scv=4/8":          "a bracket is never closed",
		"M/PH(x.json/1":         "a bracket is never closed",
		"M/H2scv=4]/8":          "a bracket is closed that was never opened",
		"M/H2(scv=4)/8":         "did you mean H2[scv=4]?",
		"m/m/4":                 "did you mean M/M/4?",
		"M/Weibull/1":           "Weibull: not a distribution of this notation: M (exponential)",
		"M/Erlang3/2":           "E3 (Erlang)",
		"LogNormal/M/2":         "G[scv=0.5] (two moments)",
		"M/Exp/1":               "Exp: not a distribution of this notation",
		"M/H2[4]/8":             "for example scv=4",
		"M/H2[svc:9]/8":         "for example scv=9",
	} {
		_, err := modelfile.Load(notation)
		if !errors.As(err, new(*modelfile.QueueError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; should say %q", notation, err, want)
		}
	}
}

func TestFilesComeBeforeQueues(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("M/M", 0o700); err != nil {
		t.Fatal(err)
	}
	if !modelfile.IsQueue("M/M/4") {
		t.Error("M/M/4 is no queue")
	}
	if err := os.WriteFile("M/M/4", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"M/M/4", "model.yaml", "logs/M/4.yaml", "logs/M/4", "/M/M/4", "./M/M/5"} {
		if modelfile.IsQueue(name) {
			t.Errorf("%s is a file", name)
		}
	}
}

// TestSimilarQueue: a queue that cannot be read has an example of its own kind.
func TestSimilarQueue(t *testing.T) {
	for notation, want := range map[string]string{
		"M/H2/1": "M/H2[scv=4]/1", "M/D/1": "M/E100/1", "D/M[mean=2]/3": "E4/M[mean=2]/3", "M/E3.5/2": "M/E3/2", "M/G/2": "M/G[scv=4]/2",
		"GI/D/8": "GI[scv=4]/E4/8", "M/D[mean=2]/3": "M/E4[mean=2]/3", "M/D/c": "M/E4/4", "M/E0/1": "M/M/4",
	} {
		_, err := modelfile.QueueModel(notation)
		var queue *modelfile.QueueError
		if !errors.As(err, &queue) || queue.Similar() != want {
			t.Errorf("%s: %v, want %s", notation, err, want)
		}
	}
	if _, err := modelfile.QueueModel("M/E0/1"); !strings.Contains(err.Error(), "at least 1 phase") {
		t.Error(err)
	}
}
