package sched_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/sched"
)

// each calls visit with every ascending vector of so many numbers from 1 to most.
func each(jobs, most int, visit func(least []int)) {
	least := make([]int, jobs)
	var fill func(i, from int)
	fill = func(i, from int) {
		if i == jobs {
			visit(least)
			return
		}
		for m := from; m <= most; m++ {
			least[i] = m
			fill(i+1, m)
		}
	}
	fill(0, 1)
}

// scheduled returns the overhead of a policy's schedule, which is checked.
func scheduled(t *testing.T, policy sched.EpochPolicy, p sched.EpochProblem) int {
	t.Helper()
	var s sched.EpochSchedule
	if err := policy.Schedule(p, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(p, policy.Spread()); err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return s.Overhead()
}

// tilings returns the ascending widths of all ways to cover N nodes in J units of time with pieces of area N whose widths
// are powers of two, wherever they lie.
func tilings(nodes, jobs int) [][]int {
	filled := make([]int, nodes) // up to which time each node is covered
	seen, found := map[string]bool{}, map[string][]int{}
	var widths []int
	var cover func()
	cover = func() {
		sorted := slices.Sorted(slices.Values(widths))
		if key := fmt.Sprint(filled, sorted); seen[key] {
			return
		} else {
			seen[key] = true
		}
		first := slices.Index(filled, slices.Min(filled))
		height := filled[first]
		if height == jobs {
			found[fmt.Sprint(sorted)] = sorted
			return
		}
		for w := 1; first+w <= nodes; w *= 2 {
			up := nodes / w
			level := !slices.ContainsFunc(filled[first:first+w], func(h int) bool { return h != height })
			if height+up > jobs || !level {
				continue
			}
			for i := range w {
				filled[first+i] += up
			}
			widths = append(widths, w)
			cover()
			widths = widths[:len(widths)-1]
			for i := range w {
				filled[first+i] -= up
			}
		}
	}
	cover()
	var all [][]int
	for _, widths := range found {
		all = append(all, widths)
	}
	return all
}

// TestBuddyIsOptimal: no tiling with widths that are powers of two has less overhead (theorem 1 of the report).
func TestBuddyIsOptimal(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not concurrency")
	}
	for _, size := range [][2]int{{1, 4}, {2, 2}, {2, 8}, {4, 2}, {4, 4}, {4, 8}, {8, 2}, {8, 4}, {8, 8}, {16, 2}, {16, 4}} {
		nodes, jobs := size[0], size[1]
		all := tilings(nodes, jobs)
		each(jobs, nodes, func(least []int) {
			want := nodes * jobs
			for _, widths := range all {
				sum := 0
				for i, w := range widths {
					if sum += w; w < least[i] {
						sum = nodes * jobs
						break
					}
				}
				want = min(want, sum)
			}
			if got := scheduled(t, sched.Rule(policy.Buddy, 0), sched.EpochProblem{Nodes: nodes, Min: least}); got != want {
				t.Errorf("%d nodes, jobs %v: overhead %d, the least is %d", nodes, least, got, want)
			}
		})
	}
}

// fits reports whether jobs, ascending, can share an epoch in which no two differ by more than k nodes, by trying all
// ascending widths that add up to the nodes.
func fits(least []int, nodes, k int) bool {
	var try func(i, from, first, left int) bool
	try = func(i, from, first, left int) bool {
		if i == len(least) {
			return left == 0
		}
		for w := max(from, least[i]); w <= min(left, first+k); w++ {
			if try(i+1, w, first, left-w) {
				return true
			}
		}
		return false
	}
	for w := least[0]; w <= nodes; w++ {
		if try(1, w, w, nodes-w) {
			return true
		}
	}
	return false
}

// fewestEpochs tries all ways to divide jobs into epochs.
func fewestEpochs(least []int, nodes, k int) int {
	all := 1<<len(least) - 1
	fewest := make([]int, all+1)
	fit := make([]bool, all+1)
	for set := 1; set <= all; set++ {
		var some []int
		for i, m := range least {
			if set>>i&1 == 1 {
				some = append(some, m)
			}
		}
		fit[set] = fits(some, nodes, k)
		fewest[set] = bits.OnesCount(uint(set))
		for sub := set; sub > 0; sub = (sub - 1) & set {
			if fit[sub] {
				fewest[set] = min(fewest[set], 1+fewest[set&^sub])
			}
		}
	}
	return fewest[all]
}

// TestOptIsOptimal: no other division into epochs has fewer of them; nor has one of equal shares where the number of
// nodes is a power of two and the policy is EQUI (theorem 2 of the report).
func TestOptIsOptimal(t *testing.T) {
	for nodes := 1; nodes <= 9; nodes++ {
		for jobs := 1; jobs <= 5; jobs++ {
			if testing.Short() && nodes*jobs > 16 {
				continue
			}
			each(jobs, nodes, func(least []int) {
				p := sched.EpochProblem{Nodes: nodes, Min: least}
				for k := range 4 {
					want := fewestEpochs(least, nodes, k) * nodes
					if got := scheduled(t, sched.Rule(policy.OptEpoch, k), p); got != want {
						t.Errorf("%d nodes, jobs %v, k = %d: overhead %d, the least is %d", nodes, least, k, got, want)
					}
					if got := scheduled(t, sched.Rule(policy.EquiEpoch, 0), p); k == 0 && nodes&(nodes-1) == 0 && got != want {
						t.Errorf("%d nodes, jobs %v: EQUI has overhead %d, the least is %d", nodes, least, got, want)
					}
				}
			})
		}
	}
}

// TestFigure4: with any widths, not powers of two alone, less overhead is possible than BUDDY's.
func TestFigure4(t *testing.T) {
	p := sched.EpochProblem{Nodes: 8, Min: []int{2, 2, 3, 3, 3, 3, 3, 3}}
	if got := scheduled(t, sched.Rule(policy.Buddy, 0), p); got != 28 {
		t.Errorf("overhead of BUDDY %d, want 28", got)
	}
	if got := scheduled(t, sched.Rule(policy.OptEpoch, 1), p); got <= 22 {
		t.Errorf("overhead of OPT(1) %d; no schedule in epochs has less than 24", got)
	}
}
