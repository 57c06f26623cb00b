package epochscmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/experiment/epochs"
)

// choice is a policy that was asked for, with the series that it belongs to: with --k several policies make one.
type choice struct {
	policy.Policy
	series string
	k      int // −1 where the policy takes none, or --k has not given it
}

// policies returns those of choices.
func policies(chosen []choice) []policy.Policy {
	all := make([]policy.Policy, len(chosen))
	for i, c := range chosen {
		all[i] = c.Policy
	}
	return all
}

// texts returns what --policies says, or what stands in for it.
func (o *options) texts() []string {
	switch {
	case o.policies != nil:
		return o.policies
	case o.experiment == epochs.OpenExperiment:
		return []string{"dynamic", "easy", "buddy", "equi", "opt:1", "heuristic:1"}
	case o.spreads != nil:
		return []string{"buddy", "equi", "opt:1", "hybrid", "heuristic"}
	}
	return []string{"buddy", "equi", "opt:1", "hybrid:1", "heuristic:1"}
}

// choose reads the policies. A policy that takes K and is written without one gets each value of --k.
func (o *options) choose(inv *cli.Invocation) error {
	for _, text := range o.texts() {
		written, spreads := []string{text}, []int{-1}
		e, known := inv.Table.Named(text)
		if known && o.spreads != nil && strings.HasPrefix(e.Parameter, "K") {
			written, spreads = nil, o.spreads
			for _, k := range spreads {
				written = append(written, text+":"+strconv.Itoa(k))
			}
		}
		for i, text := range written {
			p, err := inv.Table.Parse(text)
			if err != nil {
				return inv.PolicyError("--policies", err)
			}
			c := choice{p, p.String(), spreads[i]}
			if c.k >= 0 {
				c.series = e.Name
			}
			e, _ := inv.Table.Named(p.Name())
			_, schedules := p.(policy.Epochs)
			switch {
			case o.experiment == epochs.OpenExperiment && e.RunsOn&policy.WholeNodes == 0:
				return cli.Usagef("partwise solve runs it", "--policies: %s does not run on the simulated machine", p)
			case o.experiment != epochs.OpenExperiment && !schedules:
				return cli.Usagef("use "+strings.Join(rules(o.table), ", "), "--policies: %s makes no schedules of a quantum", p)
			}
			o.chosen = append(o.chosen, c)
		}
	}
	if o.spreads != nil && !slices.ContainsFunc(o.chosen, func(c choice) bool { return c.k >= 0 }) {
		inv.Warnf("--k: no policy is given a k by it; write hybrid, opt or heuristic without one")
		o.spreads = nil
	}
	return nil
}

// fit returns the choices that fit a machine; what does not fit is an error if it was asked for on one machine only.
func (o *options) fit(inv *cli.Invocation, nodes int) ([]choice, error) {
	var some []choice
	for _, c := range o.chosen {
		err := c.Check(policy.Machine{Nodes: nodes, Unit: 1})
		switch {
		case err == nil:
			some = append(some, c)
		case o.policies != nil && len(o.nodes) == 1:
			return nil, cli.Usagef("choose --nodes that fits; equi, opt:K and heuristic:K take any number of nodes", "--policies: %s",
				cli.Plain(err))
		default:
			inv.Notef("without %s on %d nodes: %s", c, nodes, strings.TrimPrefix(cli.Plain(err), fmt.Sprintf("policy %s: ", c)))
		}
	}
	if len(some) == 0 {
		return nil, cli.Usagef("use equi, opt:K, heuristic:K", "--policies: none of them runs on %d nodes", nodes)
	}
	return some, nil
}
