package machine

// Dynamic is dynamic equi-partitioning. While i ≤ N jobs are in the system each has ⌊N/i⌋ units of nodes or one more,
// and an arrival or a departure resizes as few of them as can be. With N in the system, others wait first come, first
// served, and a departure hands its partition to the head of the queue.
//
// Which jobs are resized, when there is a choice, is not said by the source: here the oldest grow first and the youngest
// shrink first, and the newcomer gets the smallest partition.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, Dynamic partitioning in different distributed-memory
// environments, JSSPP 1996, LNCS 1162, section 2.1 and table 1.
type Dynamic struct {
	sizes []int // by running job, in the order of their starts
	keeps []bool
}

// Name returns "dynamic".
func (d *Dynamic) Name() string { return "dynamic" }

// Decide repartitions, or starts the head of the queue in the place of the job that left.
func (d *Dynamic) Decide(v View, why Event, do []Action) []Action {
	units := v.Nodes() / v.Unit()
	switch {
	case why.Kind == Alarm:
		return do
	case why.Kind == Departure && v.Waiting() > 0:
		return append(do, Allocate(v.Head(), why.Nodes))
	case why.Kind == Departure && v.Running() > 0:
		return d.divide(v, v.Running(), do)
	case why.Kind == Arrival && v.Running() < units:
		do = d.divide(v, v.Running()+1, do)
		left := v.Nodes()
		for _, n := range d.sizes {
			left -= n
		}
		return append(do, Allocate(why.Job, left))
	}
	return do
}

// divide resizes the running jobs for a machine of i jobs, which are the running ones or one more; the last gets what
// is left over.
func (d *Dynamic) divide(v View, i int, do []Action) []Action {
	units := v.Nodes() / v.Unit()
	small, big := units/i, units%i // big jobs have one unit more
	low, high := small*v.Unit(), (small+1)*v.Unit()
	d.sizes, d.keeps = d.sizes[:0], d.keeps[:0]
	// Shrinking takes the youngest, so the oldest keep the larger size; growing takes the oldest, so the youngest keep the
	// smaller one.
	bigs, smalls := big, i-big
	for k := range v.Running() {
		n := v.Held(v.Started(k))
		keep := n == high && bigs > 0
		if keep {
			bigs--
		}
		d.sizes, d.keeps = append(d.sizes, n), append(d.keeps, keep)
	}
	for k := v.Running() - 1; k >= 0; k-- {
		if d.sizes[k] == low && smalls > 0 {
			d.keeps[k] = true
			smalls--
		}
	}
	for k := range d.sizes {
		if d.keeps[k] {
			continue
		}
		d.sizes[k] = low
		if bigs > 0 {
			d.sizes[k] = high
			bigs--
		}
		do = append(do, Allocate(v.Started(k), d.sizes[k]))
	}
	return do
}
