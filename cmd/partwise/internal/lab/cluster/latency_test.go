package cluster

import "time"

// Latency returns the time of a message that meets no other, sent and received by processors that wait for it.
func (c *Costs) Latency() time.Duration { return 2*c.Host + 2*c.Interface + c.Wire }
