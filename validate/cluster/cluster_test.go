package cluster_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/cluster"
)

// policies returns all policies of the table that share nodes in time.
func policies(t testing.TB) []policy.Policy {
	var all []policy.Policy
	table := policy.Standard().On(policy.TimeShared)
	for _, e := range table {
		p, err := table.Parse(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// A job that is alone takes its dedicated time if there is no skew, and the first context switch more. Where processes
// block, a first delay beyond the spin time may cost a block that causes the next one, and messages of trees always do.
func TestAloneAsDedicated(t *testing.T) {
	for _, p := range policies(t) {
		for pattern := cluster.NearestNeighbour; pattern <= cluster.Linear; pattern++ {
			for _, n := range []int{2, 7} {
				c := cluster.Defaults(p)
				c.Nodes, c.Skew, c.Pattern = n, 0, pattern
				first := c.Costs.Switch
				if (p == policy.Gang{}) {
					first = c.Costs.GangSwitch
				}
				for _, of := range cluster.Types() {
					r := run(t, c, []cluster.Job{{Nodes: n, Dedicated: .5, Type: of}})
					record := &r.Records[0]
					s := (record.Execution() - first.Seconds()) / record.Nominal
					most := 1e-3
					if o, _ := p.(policy.Coscheduling); o.Wait == policy.SpinBlock {
						most = .25
					}
					if s < 1-1e-3 || s > 1+most {
						t.Errorf("%v, %v, %d nodes, %s: slowdown %.5f", p, pattern, n, of.Name, s)
					}
				}
			}
		}
	}
}

func run(t testing.TB, c cluster.Config, jobs []cluster.Job) *cluster.Result {
	t.Helper()
	r, err := cluster.Run(t.Context(), c, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
