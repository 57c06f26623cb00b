package advise_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/advise"
)

// malleable returns the example of the studies at load .6, with the same cost of all resizes, in seconds.
func malleable(t testing.TB, cost, stops string) *modelfile.Model {
	t.Helper()
	list := strings.TrimSuffix(strings.Repeat(cost+",", 15), ",")
	var sets []modelfile.Set
	for _, text := range []string{"dynamic.stops=" + stops, "dynamic.shrink={means: [null," + list + "]}",
		"dynamic.expand={means: [" + list + "]}"} {
		s, err := modelfile.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	m, err := modelfile.Load("../../testdata/examples/malleable.yaml", sets...)
	if err != nil {
		t.Fatal(err)
	}
	if m.System, err = m.System.WithLoad(0.6); err != nil {
		t.Fatal(err)
	}
	return m
}

// searches of the study: the parameters that are varied together; the first is the proposal of KEP-2903, a minute.
var studied = []struct {
	name string
	over []string
}{{"cooldown of 60 s", nil}, {"cooldown", []string{"cooldown"}}, {"hysteresis", []string{"hysteresis"}}, {"cap", []string{"cap"}},
	{"floor", []string{"floor"}}, {"batch", []string{"batch"}}, {"wait", []string{"wait"}}, {"on departures", []string{"on"}},
	{"cooldown, cap", []string{"cooldown", "cap"}}, {"cooldown, hysteresis", []string{"cooldown", "hysteresis"}},
	{"cooldown, cap, hysteresis", []string{"cooldown", "cap", "hysteresis"}},
	{"cooldown, hysteresis, wait", []string{"cooldown", "hysteresis", "wait"}}}

// TestResizeStudy makes the table of docs/when-to-resize.md, a minute for each cost and kind of stops.
func TestResizeStudy(t *testing.T) {
	needs.Study(t, "compares rules on many systems")
	rows := [][]string{{"cost", "stops", "search", "rule", "t", "half_width"}}
	for _, c := range [][2]string{{"30", "resized"}, {"120", "resized"}, {"30", "all"}, {"120", "all"}} {
		sys := malleable(t, c[0], c[1]).System
		q := advise.OfSystem(sys, validate.Options{}, 3600)
		add := func(search string, p policy.Policy) {
			v := simulated(t, sys, p, 0.01)
			rows = append(rows, []string{c[0], c[1], search, p.String(), strconv.FormatFloat(v.Mean, 'g', 6, 64),
				strconv.FormatFloat(v.HalfWidth, 'g', 3, 64)})
			t.Log(rows[len(rows)-1])
		}
		add("dynamic", policy.Dynamic{})
		add("best static", policy.Static{Partitions: 8})
		for _, s := range studied {
			over := []advise.Parameter{{Name: "cooldown", Values: []float64{60}}}
			if s.over != nil {
				over = nil
			}
			for _, name := range s.over {
				over = append(over, q.Usual(name))
			}
			rules, err := q.Grid(over)
			if err != nil {
				t.Fatal(err)
			}
			var candidates []policy.Policy
			for _, r := range rules {
				candidates = append(candidates, r)
			}
			found, err := q.Select(t.Context(), candidates, advise.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			add(s.name, found.Best)
		}
	}
	f, err := os.Create("../../testdata/studies/resize.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
}
