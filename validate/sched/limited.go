package sched

// limited is dynamic equi-partitioning that never resizes small jobs. A job whose demand is at most Small keeps its
// first partition until it ends. The other nodes are divided evenly among the larger jobs and the job that starts; a
// repartition resizes larger jobs only. If the larger jobs have no unit to give, jobs wait first come, first served. A
// departure then gives its partition to the head of the queue.
//
// N. Islam, A. Prodromidis, M. S. Squillante (JSSPP 1996, LNCS 1162, section 7) conclude that jobs with small resource
// requirements should not be reconfigured. They do not say how a scheduler knows the demand of a job.
type limited struct {
	Small   float64
	movable []JobID
	sizes   []int
}

// Name returns "limited".
func (l *limited) Name() string { return "limited" }

// Decide starts jobs from the head of the queue on the nodes of jobs that left, by events. Small jobs, whose demand is
// at most l.Small, are never resized. The other nodes are divided evenly among the larger running jobs and all jobs
// that start. This happens if nodes are left over, or if further waiting jobs can get a unit each. The actions are
// appended to do, which must be empty, and returned. l.movable and l.sizes are overwritten.
func (l *limited) Decide(v View, events []Event, do []Action) []Action {
	do = replaceDeparted(v, events, do)
	starts, units := len(do), l.findMovable(v)
	for _, a := range do {
		l.movable, l.sizes = append(l.movable, a.Job), append(l.sizes, a.Nodes/v.Unit())
	}
	for ; starts < v.Waiting() && len(l.sizes) < units; starts++ {
		l.movable, l.sizes = append(l.movable, v.Queued(starts).Job), append(l.sizes, 0)
	}
	if starts == count(events, Departure) && starts == len(do) {
		return do
	}
	EquiPartition(l.sizes, units)
	return resizeTo(v, l.movable, l.sizes, do[:0])
}

// findMovable stores the running jobs that may be resized in l.movable, and their sizes in units in l.sizes. They are
// the jobs whose demand, the run time on one node, is above l.Small. It returns the number of units of the machine that
// the other running jobs do not hold.
func (l *limited) findMovable(v View) (units int) {
	units = v.units()
	l.movable, l.sizes = l.movable[:0], l.sizes[:0]
	for _, j := range v.s.running {
		if v.Job(j).Work <= l.Small {
			units -= v.Held(j) / v.Unit()
			continue
		}
		l.movable, l.sizes = append(l.movable, j), append(l.sizes, v.Held(j)/v.Unit())
	}
	return units
}

// resizeTo appends actions to do that give each of the jobs its size where it differs from the nodes that the job has.
// sizes are in units of the machine, in the order of jobs; further sizes are ignored. A waiting job starts with its size;
// a job whose size is 0 is suspended.
func resizeTo(v View, jobs []JobID, sizes []int, do []Action) []Action {
	for k, j := range jobs {
		if n := sizes[k] * v.Unit(); n != v.Held(j) {
			do = appendAllocate(do, j, n)
		}
	}
	return do
}
