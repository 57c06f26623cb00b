package families_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/lab/internal/families"
)

// go test ./validate/lab/internal/families -run Model -long
// Gang scheduling as the model has it and as it is simulated: four nodes, jobs that each need a c-th of them, with
// exponential run times of five seconds, slices of 200 ms and switches of 2 ms.
const (
	gangNodes = 4
	gangRun   = 5.0
	gangSlice = 0.2
	gangOver  = 0.002
)

// modelled returns the mean response time of the model. Slices and switch-overs are as regular as its phases allow.
func modelled(t testing.TB, partitions int, load float64) float64 {
	t.Helper()
	poisson, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(load * float64(partitions) / gangRun)))
	if err != nil {
		t.Fatal(err)
	}
	m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{{Partitions: partitions, Arrivals: poisson,
		Service: phasetype.Must(phasetype.Exponential(1 / gangRun)), Quantum: phasetype.Must(phasetype.Erlang(20, gangSlice)),
		SwitchOver: phasetype.Must(phasetype.Erlang(20, gangOver))}}}
	s, err := m.Solve(context.Background(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Classes[0].MeanResponseTime
}

// simulated returns the outcome of gang scheduling, with the time of a switch in milliseconds.
func simulated(t testing.TB, partitions int, load float64, over time.Duration, jobs int) families.Outcome {
	t.Helper()
	nodes := gangNodes / partitions
	w := drawn(gangNodes, jobs, gangRun/(load*float64(partitions)), phasetype.Must(phasetype.Exponential(1/gangRun)),
		func(float64) int { return nodes })
	c := free(64, time.Duration(gangSlice*1e9))
	c.Costs.GangSwitch = over
	types := computing
	if nodes == 1 {
		types = alone
	}
	out, err := families.Run(context.Background(), w, []families.Family{{Policy: policy.Gang{}}},
		families.Options{Types: types, Dedicated: w.MeanRun(), Cluster: c})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

const gangStudy = "../../../../testdata/studies/gang-model.csv"

// TestGangSchedulingAndItsModel holds the table of docs/families.md to the study, and the study to the model. With -study
// the study is done anew.
func TestGangSchedulingAndItsModel(t *testing.T) {
	if needs.IsStudy() {
		writeGangStudy(t)
	}
	f, err := os.Open(gangStudy)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := "| partitions | load | model [s] | simulated [s] | difference |\n|---:|---:|---:|---:|---:|\n"
	for _, row := range rows[1:] {
		v := make([]float64, len(row))
		for i, text := range row {
			if v[i], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		partitions, load, model, mean, half := int(v[0]), v[1], v[2], v[3], v[4]
		if now := modelled(t, partitions, load); math.Abs(now-model) > 1e-5*now {
			t.Errorf("%d partitions, load %g: the model has %g, the study %g", partitions, load, now, model)
		}
		table += fmt.Sprintf("| %d | %g | %.2f | %.2f ± %.2f | %+.1f %% |\n", partitions, load, model, mean, half, 100*(model/mean-1))
	}
	const page, begin, end = "../../../../docs/families.md",
		"<!-- gang: written by go test ./validate/lab/internal/families -run Model -study -->\n", "<!-- end of gang -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	was, tail, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Errorf("%s has no place for the table", page)
	case was != table && !needs.IsStudy():
		t.Errorf("%s does not show the study; -study rewrites it:\n%s", page, table)
	case was != table:
		if err := os.WriteFile(page, []byte(head+begin+table+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func writeGangStudy(t *testing.T) {
	rows := [][]string{{"partitions", "load", "model", "simulated", "half_width"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, partitions := range []int{1, 2, 4} {
		for _, load := range []float64{0.5, 0.7, 0.85} {
			o := simulated(t, partitions, load, 2*time.Millisecond, 40_000)
			rows = append(rows, []string{strconv.Itoa(partitions), number(load), number(modelled(t, partitions, load)),
				number(o.MeanResponseTime.Mean), number(o.MeanResponseTime.HalfWidth)})
			t.Log(rows[len(rows)-1])
		}
	}
	f, err := os.Create(gangStudy)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
}

// Jobs that need all nodes: the model is within the interval of a short simulation. The simulated jobs take turns, those of
// the model are served in their order; for exponential run times the mean number of jobs is the same.
func TestGangSchedulingIsNearItsModel(t *testing.T) {
	o := simulated(t, 1, 0.5, 2*time.Millisecond, 600)
	want := modelled(t, 1, 0.5)
	t.Logf("model %.3f, simulated %.3f ± %.3f", want, o.MeanResponseTime.Mean, o.MeanResponseTime.HalfWidth)
	if math.Abs(o.MeanResponseTime.Mean-want) > o.MeanResponseTime.HalfWidth {
		t.Errorf("mean response time %g ± %g, the model has %g", o.MeanResponseTime.Mean, o.MeanResponseTime.HalfWidth, want)
	}
}
