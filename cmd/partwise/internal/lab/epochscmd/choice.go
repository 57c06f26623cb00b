package epochscmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// choice is a policy that was asked for, with the series that it belongs to: with --k several policies make one.
type choice struct {
	policy.Policy
	series string
	k      int // −1 where the policy takes none, or --k has not given it
}

// epoch returns the policy as one that makes schedules, the zero value if it is another.
func (c *choice) epoch() policy.Epochs {
	e, _ := c.Policy.(policy.Epochs)
	return e
}

// texts returns what --policies says, or what stands in for it.
func (o *options) texts() []string {
	switch {
	case o.policies != nil:
		return o.policies
	case o.experiment == openExperiment:
		return []string{"dynamic", "easy", "buddy", "equi", "opt:1", "heuristic:1"}
	case o.spreads != nil:
		return []string{"buddy", "equi", "opt:1", "hybrid", "heuristic"}
	}
	return []string{"buddy", "equi", "opt:1", "hybrid:1", "heuristic:1"}
}

// choose reads the policies.
func (o *options) choose(inv *cli.Invocation) error {
	for _, text := range o.texts() {
		e, known := inv.Table.Named(text)
		if !known || o.spreads == nil || !strings.HasPrefix(e.Parameter, "K") {
			p, err := inv.Table.Parse(text)
			if err != nil {
				return inv.PolicyError("--policies", err)
			}
			o.chosen = append(o.chosen, choice{p, p.String(), -1})
			continue
		}
		for _, k := range o.spreads {
			p, err := inv.Table.Parse(text + ":" + strconv.Itoa(k))
			if err != nil {
				return inv.PolicyError("--policies", err)
			}
			o.chosen = append(o.chosen, choice{p, e.Name, k})
		}
	}
	if o.spreads != nil && !slices.ContainsFunc(o.chosen, func(c choice) bool { return c.k >= 0 }) {
		inv.Warnf("--k: no policy is given a k by it; write hybrid, opt or heuristic without one")
		o.spreads = nil
	}
	for i := range o.chosen {
		if err := o.permits(inv, &o.chosen[i]); err != nil {
			return err
		}
	}
	return nil
}

// permits checks that a policy can do what is asked of it.
func (o *options) permits(inv *cli.Invocation, c *choice) error {
	e, _ := inv.Table.Named(c.Name())
	_, schedules := c.Policy.(policy.Epochs)
	switch {
	case o.experiment == openExperiment && e.RunsOn&policy.WholeNodes == 0:
		return cli.Usagef("partwise solve runs it", "--policies: %s does not run on the simulated machine", c)
	case o.experiment != openExperiment && !schedules:
		return cli.Usagef("use "+strings.Join(rules(o.table), ", "), "--policies: %s makes no schedules of a quantum", c)
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
			return nil, cli.Usagef(hintFor(&c), "--policies: %s", cli.Plain(err))
		default:
			inv.Notef("without %s on %d nodes: %s", c, nodes, strings.TrimPrefix(cli.Plain(err), fmt.Sprintf("policy %s: ", c)))
		}
	}
	if len(some) == 0 {
		return nil, cli.Usagef("use equi, opt:K, heuristic:K", "--policies: none of them runs on %d nodes", nodes)
	}
	return some, nil
}

// hintFor is the remedy for a policy that does not fit a machine.
func hintFor(c *choice) string {
	if c.epoch().Rule != "" {
		return "equi, opt:K and heuristic:K take any number of nodes"
	}
	return "choose --nodes that fits"
}
