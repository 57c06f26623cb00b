package cluster

import "github.com/partwise/partwise/models/policy"

const (
	interrupt = policy.InterruptBoost
	periodic  = policy.PeriodicBoost
)

// interrupt is demand-based coscheduling: the interface takes the receiver of a message for a process that is not on
// the processor, by what it saw at the last tick, and interrupts the processor; the receiver is boosted if it could run.
func (r *run) interrupt(n *node, p *process, onProcessor bool) {
	r.charge(n, r.Costs.Interrupt, overhead)
	if !onProcessor && p.phase != inIO && !p.blocked {
		r.boost(n, p)
	}
}
