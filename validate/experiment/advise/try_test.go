package advise_test

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/spec"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/experiment/advise"
)

func malleable(t testing.TB, cost, stops string) *spec.Model {
	list := strings.TrimSuffix(strings.Repeat(cost+",", 15), ",")
	var sets []spec.Set
	for _, text := range []string{"dynamic.stops=" + stops, "dynamic.shrink={means: [null," + list + "]}", "dynamic.expand={means: [" + list + "]}"} {
		s, err := spec.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	m, err := spec.Load("../../../testdata/examples/malleable.yaml", sets...)
	if err != nil {
		t.Fatal(err)
	}
	if m.System, err = m.System.WithLoad(0.6); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTry(t *testing.T) {
	if os.Getenv("TRY") == "" {
		t.Skip()
	}
	f := strings.Fields(os.Getenv("TRY"))
	m := malleable(t, f[0], f[1])
	q := advise.OfSystem(m.System, validate.Options{}, 3600)
	var over []advise.Parameter
	for _, n := range f[2:] {
		over = append(over, q.Usual(n))
	}
	rules, err := q.Grid(over)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s, err := q.Select(t.Context(), q.Candidates(rules), advise.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(len(rules), "rules, block", s.Block, "jobs", s.Jobs, "left", s.Left, s.Sure, "margin", s.Margin, "unstable", s.Unstable, time.Since(begin))
	c := s.Candidates
	sort.SliceStable(c, func(i, j int) bool {
		return c[i].Blocks > c[j].Blocks || c[i].Blocks == c[j].Blocks && c[i].Value < c[j].Value
	})
	fmt.Println("best", s.Best)
	for _, e := range c[:min(len(c), 25)] {
		fmt.Println(e.Policy, e.Value, e.Blocks, e.Left)
	}
}
