package logstats

// PoolsMakeWait reports whether jobs waited mostly while the whole machine had free nodes for them and their own partitions had
// not. It is false for a log without waits or partitions.
func (l *Logged) PoolsMakeWait() bool {
	return l != nil && len(l.Pools) > 0 && l.WithinPools().NodesFree < l.Waiting.NodesFree/2
}

// Busiest returns the partition with at least half of the waiting, and its share of the waiting. It returns nil and 0 if no
// partition has half of the waiting.
func (l *Logged) Busiest() (pool *LoggedPool, share float64) {
	if l == nil || l.Waiting.Mean == 0 {
		return nil, 0
	}
	all := float64(l.Jobs) * l.Waiting.Mean
	for i := range l.Pools {
		p := &l.Pools[i]
		if share = float64(p.Waiting.Jobs) * p.Waiting.Mean / all; share >= 0.5 {
			return p, share
		}
	}
	return nil, 0
}
