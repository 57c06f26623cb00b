package sched_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
	"github.com/partwise/partwise/validate/sched"
)

// reference is what an independent program found: schedules, and mean overheads over all problems of a size.
type reference struct {
	Table1        []int
	OverheadExact map[string]map[string]any `json:"overhead_exact"`
	Golden        []map[string]any
}

func epochReference(t *testing.T) reference {
	t.Helper()
	text, err := refs.Files.ReadFile("epoch.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// named returns the policy that the reference calls by a name: "BUDDY*", "HEUR2".
func named(t *testing.T, name string) sched.EpochPolicy {
	t.Helper()
	letters := strings.TrimRight(name, "0123456789")
	k, _ := strconv.Atoi(name[len(letters):])
	switch letters {
	case "BUDDY", "BUDDY*":
		return sched.Rule(policy.Buddy, 0)
	case "HYBRID":
		return sched.Rule(policy.Hybrid, k)
	case "EQUI":
		return sched.Rule(policy.EquiEpoch, 0)
	case "OPT":
		return sched.Rule(policy.OptEpoch, k)
	case "HEUR":
		return sched.Rule(policy.HeuristicEpoch, k)
	}
	t.Fatalf("the reference has a policy %q", name)
	return nil
}

// written returns the pieces of a schedule as the reference has them.
func written(s *sched.EpochSchedule) []any {
	var all []any
	fraction := func(t int) string { return big.NewRat(int64(t), int64(len(s.Pieces))).RatString() }
	for _, q := range s.Pieces {
		all = append(all, []any{float64(q.Job), float64(q.Offset), float64(q.Width), fraction(q.Start), fraction(q.End)})
	}
	return all
}

// TestGoldenSchedules: all schedules are those of the reference, piece by piece and in the same order; of OPT with k > 1
// the reference has the number of epochs.
func TestGoldenSchedules(t *testing.T) {
	for _, g := range epochReference(t).Golden {
		holdTo(t, g)
	}
}

func holdTo(t *testing.T, golden map[string]any) {
	t.Helper()
	p := sched.EpochProblem{Nodes: int(golden["N"].(float64))}
	for _, m := range golden["M"].([]any) {
		p.Min = append(p.Min, int(m.(float64)))
	}
	for name, want := range golden {
		if name == "N" || name == "M" || want == nil {
			continue
		}
		policy := named(t, strings.TrimSuffix(name, "_epochs"))
		var s sched.EpochSchedule
		if err := policy.Schedule(p, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(p, policy.Spread()); err != nil {
			t.Errorf("%d nodes, jobs %v, %s: %v\n%v", p.Nodes, p.Min, name, err, s.Pieces)
		}
		got := any(written(&s))
		if strings.HasSuffix(name, "_epochs") {
			got = s.NormalizedOverhead()
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d nodes, jobs %v, %s:\n got %v\nwant %v", p.Nodes, p.Min, name, got, want)
		}
	}
}

// TestExactOverheads: the mean normalized overhead over all problems of a size is the fraction of the reference.
func TestExactOverheads(t *testing.T) {
	for name, of := range epochReference(t).OverheadExact {
		var nodes, jobs, load int
		if _, err := fmt.Sscanf(name, "N%d J%d L%d", &nodes, &jobs, &load); err != nil {
			t.Fatal(err)
		}
		if !needs.IsLong() && of["multisets"].(float64) > 4000 {
			continue
		}
		for policy, value := range of {
			want, ok := value.([]any)
			if !ok {
				continue
			}
			got := meanOverhead(t, named(t, starred(policy)), nodes, jobs, int(of["hi"].(float64)))
			if got.RatString() != want[0] {
				t.Errorf("%s %s: %s, want %s", name, policy, got.RatString(), want[0])
			}
		}
	}
}

// starred is what the reference calls BUDDY where the number of jobs is no power of two.
func starred(policy string) string {
	if policy == "BUDDY" {
		return "BUDDY*"
	}
	return policy
}

// meanOverhead averages over all vectors of minimum numbers from 1 to most, one of each set of vectors that differ in
// their order with its number of orders for a weight.
func meanOverhead(t *testing.T, policy sched.EpochPolicy, nodes, jobs, most int) *big.Rat {
	t.Helper()
	p := sched.EpochProblem{Nodes: nodes, Min: make([]int, jobs)}
	var s sched.EpochSchedule
	var sum, vectors int64
	var visit func(i, least int, orders int64, run int64)
	visit = func(i, least int, orders, run int64) {
		if i == jobs {
			if err := policy.Schedule(p, &s); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(p, policy.Spread()); err != nil {
				t.Fatalf("%v: %v", p.Min, err)
			}
			sum += orders * int64(s.Overhead())
			vectors += orders
			return
		}
		for m := least; m <= most; m++ {
			p.Min[i] = m
			same := int64(1)
			if i > 0 && m == p.Min[i-1] {
				same = run + 1
			}
			visit(i+1, m, orders*int64(i+1)/same, same)
		}
	}
	visit(0, 1, 1, 0)
	return big.NewRat(sum, vectors*int64(nodes))
}
