package models_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/refs"
)

// The scenario of IPS96: three workloads on two machines, each with Poisson arrivals, with bursty ones, and with
// service times of doubled variability; see testdata/ips96.
var (
	workloads = []string{"w1", "w2", "w3"}
	machines  = []string{"SP2", "NOW"}
	variants  = []string{"Poisson", "bursty", "doubled variability"}
)

// line is one series of a study: its curves over the load, NaN where a policy is unstable.
type line struct {
	workload, machine, variant string
	load, dynamic, static      []float64
	ratio, repartitioning      []float64
	best                       []int // number of static partitions, 0 if none is stable
	points                     []decide.Point
}

func (l *line) String() string {
	return fmt.Sprintf("%s, %s, %s", strings.ToUpper(l.workload), l.machine, l.variant)
}

// ips96 are the curves of all nine figures.
type ips96 struct {
	lines     []*line
	saturated []ending
	smoothed  []smoothing
}

// smoothing is a line of Poisson arrivals at a load of its own machine, with a minimum time between repartitions.
type smoothing struct {
	line          *line
	load, minimum float64
	ratio         float64 // of the mean response time to that without smoothing
}

// newSmoothings returns a line under a few loads and minimum times between repartitions, in seconds.
func newSmoothings(l *line, s *models.System) ([]smoothing, error) {
	var all []smoothing
	for _, load := range []float64{0.3, 0.6, 0.9} {
		at, err := s.WithLoad(load)
		if err != nil {
			return nil, err
		}
		base, err := (&models.DEP{System: at}).Solve(context.Background(), markov.Settings{})
		if err != nil {
			return nil, err
		}
		for _, minimum := range []float64{10, 100} {
			m, err := at.Chain(policy.Smoothing{Mean: minimum, SCV: 1})
			if err != nil {
				return nil, err
			}
			got, err := m.Solve(context.Background(), markov.Settings{})
			if err != nil {
				return nil, err
			}
			all = append(all, smoothing{l, load, minimum, got.MeanResponseTime / base.MeanResponseTime})
		}
	}
	return all, nil
}

// ending is a line close to saturation of its own machine.
type ending struct {
	line           *line
	repartitioning float64 // p_r at load saturation
	// How far T_SP(N)/T_DP is from one there, and at load beforeSaturation.
	apart, apartBefore float64
	own                []float64 // p_r at ownLoads
}

// Loads relative to the machine's own capacity.
const saturation, beforeSaturation = 0.999, 0.97

var ownLoads = []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98}

func newEnding(l *line, s *models.System) (ending, error) {
	policies := []policy.Policy{policy.Dynamic{}, policy.Static{Partitions: s.Partitions()}}
	e := ending{line: l}
	for _, load := range []float64{beforeSaturation, saturation} {
		at, err := s.WithLoad(load)
		if err != nil {
			return e, err
		}
		d, err := decide.Solve(context.Background(), at, policies, markov.Settings{}, 0)
		if err != nil {
			return e, err
		}
		e.apartBefore, e.apart = e.apart, math.Abs(d.Ratio-1)
		e.repartitioning = d.Results[0].Measures.Repartitions.Probability
	}
	for _, load := range ownLoads {
		at, err := s.WithLoad(load)
		if err != nil {
			return e, err
		}
		m, err := (&models.DEP{System: at}).Solve(context.Background(), markov.Settings{})
		if err != nil {
			return e, err
		}
		e.own = append(e.own, m.Repartitions.Probability)
	}
	return e, nil
}

// end returns the ending of a workload, a machine and a variant.
func (c *ips96) end(words ...string) ending {
	return c.saturated[slices.Index(c.lines, c.one(words...))]
}

// of returns the lines that fit all the words.
func (c *ips96) of(words ...string) []*line {
	var found []*line
	for _, l := range c.lines {
		fits := true
		for _, w := range words {
			fits = fits && (w == l.workload || w == l.machine || w == l.variant)
		}
		if fits {
			found = append(found, l)
		}
	}
	return found
}

// one returns the line of a workload, a machine and a variant.
func (c *ips96) one(words ...string) *line { return c.of(words...)[0] }

// figures solves the studies once for all tests.
var figures = sync.OnceValues(func() (*ips96, error) {
	c := &ips96{}
	for _, w := range workloads {
		s, err := loadSweep("../testdata/ips96/" + w + ".yaml")
		if err != nil {
			return nil, err
		}
		points, err := s.Solve(context.Background())
		if err != nil {
			return nil, err
		}
		for i, series := range s.Series {
			l, err := newLine(w, series.Name, points[i*len(s.Loads):(i+1)*len(s.Loads)])
			if err != nil {
				return nil, err
			}
			c.lines = append(c.lines, l)
			e, err := newEnding(l, series.System)
			if err != nil {
				return nil, err
			}
			c.saturated = append(c.saturated, e)
			if w == "w1" && l.variant == "Poisson" || w == "w3" && l.variant == "doubled variability" {
				more, err := newSmoothings(l, series.System)
				if err != nil {
					return nil, err
				}
				c.smoothed = append(c.smoothed, more...)
			}
		}
	}
	return c, nil
})

func newLine(workload, name string, points []decide.Point) (*line, error) {
	machine, variant, _ := strings.Cut(name, " ")
	l := &line{workload: workload, machine: machine, variant: variant, points: points}
	for _, p := range points {
		if p.Err != nil {
			return nil, p.Err
		}
		l.load = append(l.load, p.Load)
		dynamic, pr, static, ratio, best := math.NaN(), math.NaN(), math.NaN(), math.NaN(), 0
		if m := p.Decision.Of(policy.Dynamic{}).Measures; m.Stable {
			dynamic, pr = m.MeanResponseTime, m.Repartitions.Probability
		}
		if b := p.Decision.Best; b != nil {
			static, best = b.Measures.MeanResponseTime, b.Partitions()
		}
		if p.Decision.Ratio > 0 {
			ratio = p.Decision.Ratio
		}
		l.dynamic, l.static, l.ratio = append(l.dynamic, dynamic), append(l.static, static), append(l.ratio, ratio)
		l.repartitioning, l.best = append(l.repartitioning, pr), append(l.best, best)
	}
	return l, nil
}

// scenario returns the curves; they take some seconds.
func scenario(t *testing.T) *ips96 {
	t.Helper()
	if testing.Short() {
		t.Skip("the curves of all figures take some seconds; not with -short")
	}
	c, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFiguresOfIPS96 compares the curves with those of an independent program.
func TestFiguresOfIPS96(t *testing.T) {
	files, err := fs.Glob(refs.Files, "ips96/*.csv")
	if err != nil || len(files) != 9 {
		t.Fatalf("%d curves of the independent program, %v", len(files), err)
	}
	c := scenario(t)
	variant := map[string]string{"Aexp,Bcv": "Poisson", "Ahyp,Bcv": "bursty", "Aexp,B2cv": "doubled variability"}
	for _, f := range files {
		rows := readCSV(t, f)
		first := rows[0]
		l := c.one(strings.ToLower(first["workload"]), first["machine"], variant[first["variant"]])
		if len(rows) != len(l.load) {
			t.Fatalf("%s: %d loads, want %d", f, len(l.load), len(rows))
		}
		for i, want := range rows {
			l.compare(t, f, i, want)
		}
	}
}

// curveTol: both programs work in double precision, which near saturation leaves ten digits of a mean.
const curveTol = 1e-8

// compare holds the point i against a row of the independent program, which writes nan or inf for what is unstable.
func (l *line) compare(t *testing.T, file string, i int, want map[string]string) {
	t.Helper()
	check := func(column string, got float64) {
		w, err := strconv.ParseFloat(want[column], 64)
		if err != nil {
			t.Fatalf("%s: %s %q", file, column, want[column])
		}
		unstable := math.IsNaN(w) || math.IsInf(w, 0)
		if unstable != math.IsNaN(got) || !unstable && math.Abs(got-w) > curveTol*math.Abs(w) {
			t.Errorf("%s: %s at load %v is %.12g, want %.12g", file, column, l.load[i], got, w)
		}
	}
	check("U", l.load[i])
	check("T_DP", l.dynamic[i])
	check("p_r", l.repartitioning[i])
	check("T_SPstar", l.static[i])
	check("ratio", l.ratio[i])
	check("K_star", float64(l.best[i]))
	for _, r := range l.points[i].Decision.Results[1:] {
		at := math.NaN()
		if r.Measures.Stable {
			at = r.Measures.MeanResponseTime
		}
		check(fmt.Sprintf("T_SP%d", r.Partitions()), at)
	}
}

// readCSV returns the rows of a file by the names of its columns.
func readCSV(t *testing.T, file string) []map[string]string {
	r, err := refs.Files.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cells, err := csv.NewReader(r).ReadAll()
	if err != nil || len(cells) < 2 {
		t.Fatalf("%s: %d rows, %v", file, len(cells), err)
	}
	var rows []map[string]string
	for _, row := range cells[1:] {
		by := map[string]string{}
		for j, name := range cells[0] {
			by[name] = row[j]
		}
		rows = append(rows, by)
	}
	return rows
}
