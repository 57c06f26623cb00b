package sched

// polledMalleable is [easyMalleable] in two parts. A batch system starts jobs under EASY backfilling at any time, on
// nodes that are free. A controller resizes malleable jobs at the times 0, every, 2·every, ….
//
// Between two polls no job shrinks for a job that waits. A malleable job starts where its fewest nodes are free. Free
// nodes on which no other job starts are divided among the malleable jobs that start.
type polledMalleable struct {
	*easyMalleable
	every float64
	next  float64 // the poll for which an alarm was requested; 0: no alarm
}

// Decide decides at a poll on events as the policy [easyMalleable] does. At other times it starts jobs without resizing
// any. It requests an alarm for the next poll if no alarm is pending. The actions are appended to do and returned.
func (p *polledMalleable) Decide(v View, events []Event, do []Action) []Action {
	asked := p.next != 0
	if !asked {
		p.next = nextPoll(v.Now(), p.every)
	}
	if v.Now() >= p.next {
		p.next = 0
		return p.easyMalleable.Decide(v, events, do)
	}
	do = p.start(v, events, do)
	if !asked {
		do = append(do, Wake(p.next))
	}
	return do
}

// start appends actions to do that start the jobs which EASY starts on the free nodes, between polls. Running jobs keep
// their nodes. Free nodes that are left over go to the malleable jobs that start. p.easy keeps the reservation and the
// index of waiting jobs, which events bring up to date. The next poll needs a whole decision, because this reservation
// is for other nodes.
func (p *polledMalleable) start(v View, events []Event, do []Action) []Action {
	p.easy.onFewest, p.easy.shrinks, p.changes = true, false, -1
	p.easy.indexArrivals(v, events)
	do = p.easy.startFromQueue(v, v.Free(), do)
	return p.easy.requestAlarm(v, p.shareNodes(v, &resizableJobs{}, v.Free(), do))
}
