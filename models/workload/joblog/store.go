package joblog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/packed"
)

// store collects the jobs of a log.
type store struct {
	fieldReader
	file        string
	records     executions.List
	users       packed.Names
	groups      packed.Names
	queues      packed.Names
	qos         packed.Names
	states      packed.Names // as the log calls them
	clusters    packed.Names
	nodeLists   packed.Names
	unreadLists map[uint32]bool        // the numbers of the lists of nodes that cannot be read
	partitions  bool                   // queues are partitions of the machine
	unresolved  map[executions.Key]int // steps whose job has not been seen: line
	pieces      map[uint32][]Piece     // of records of jobs whose nodes changed, when all have been read
	lost        Lost
	untold      int // lost lines whose node-seconds are not known
	cpus        nodesInUse
}

// newStore returns an empty store for the records of a log of some layout. The layout is nil of a format that is not read as fields.
func newStore(file string, o Options, l *layout) *store {
	if o.Unit == "" {
		o.Unit = InNodes
	}
	s := &store{fieldReader: fieldReader{layout: l, options: o, zone: logtext.NewZone(o.Location)}, file: file,
		unresolved: map[executions.Key]int{}, unreadLists: map[uint32]bool{}}
	s.records = executions.NewList(s.note)
	if s.layout != nil { // a table names its own columns
		for name, r := range s.roles {
			s.called[r] = name
		}
	}
	return s
}

// lose counts a line that gave no job, and of which nothing is known.
func (s *store) lose(what string, line int, text []byte) {
	s.findings.add(what, line, text, true)
	s.lost.Lines++
	s.untold++
}

// loseEntry counts a line that gave no job, with its node-seconds where it tells them.
func (s *store) loseEntry(what string, e *entry, text []byte) {
	s.lose(what, e.line, text)
	if held, known := e.held(); known {
		s.lost.NodeSeconds += held
		s.untold--
	}
}

// The words of findings.
const (
	noSubmitTime   = "no time of submission"
	outsideEra     = "a time before 1970 or after 2105"
	noRunTime      = "neither an elapsed time nor a start and an end"
	hourOff        = "jobs whose elapsed time is an hour off end minus start; --time-zone names the zone of the log's clocks"
	repeatedHour   = "jobs with a time in the hour that clocks show twice when daylight saving ends"
	doubtfulHour   = "jobs submitted in an hour that clocks show twice, taken for the earlier: they may have waited less long"
	longElapsed    = "jobs whose elapsed time is more than a minute longer than from start to end: it counts"
	shortElapsed   = "jobs whose elapsed time is more than a minute shorter than from start to end, as of suspended jobs: it counts"
	maybeUnstarted = "cancelled jobs of 0 s, taken for jobs that never started: sacct --format …,NodeList tells"
	noStart        = "jobs whose start the log does not tell: they are replayed, but their waits are unknown"
	skippedHour    = "times in the hour that clocks skip when daylight saving begins; is --time-zone right?"
	neverStarted   = "jobs that never started: they were cancelled, or failed, in the queue"
	orphanedSteps  = "a step of a job that the log does not list"
	messages       = "lines of messages or comments"
	tooLong        = "a line longer than any job"
)

// The words of findings of jobs that had not ended, which are in [Log.Unfinished].
const (
	StillRunning = "jobs that still ran when the log ended, which are not replayed"
	StillPending = "jobs that still waited when the log ended, which are not replayed"
)

// noSize says what is wrong with a job that ran on nothing, as far as the log tells; "" of GPUs, because jobs may have no GPUs.
var noSize = map[Unit]string{InNodes: "no number of nodes", InCPUs: "no number of CPUs"}

// unreplayed says what is found of jobs that did not end, by their states.
var unreplayed = [executions.States]string{executions.Running: StillRunning, executions.Pending: StillPending,
	executions.Unstarted: neverStarted}

// add adds the record of an execution of a job, or counts the line as lost.
func (s *store) add(e *entry) {
	if !e.submit.known {
		s.loseEntry(noSubmitTime, e, nil)
		return
	}
	r := executions.Record{Key: e.Key, Line: uint32(e.line), State: e.state, Times: executions.Times{Wait: none, Run: none, Limit: none},
		Units: e.units, User: s.users.Number(e.user), Group: s.groups.Number(e.group), Queue: s.queues.Number(e.queue)}
	r.Label = uint8(s.states.Within([]byte(e.label), math.MaxUint8)) // few logs have names of more states
	if problem := s.setUnstarted(&r, e); problem != "" {
		s.loseEntry(problem, e, nil)
		return
	}
	s.settle(e)
	problem, impossible := setTimes(&r, e)
	if problem != "" {
		s.loseEntry(problem, e, nil)
		return
	}
	if s.options.Most > 0 && s.records.Len() > s.options.Most {
		return // finish refuses the log
	}
	if s.options.Unit != InCPUs && s.options.Unit != InGPUs && r.State.IsOver() {
		s.cpus.add(e)
	}
	if early := r.Wait != none && int64(r.Wait) < e.submit.later && !e.movable(); e.submit.later != 0 && !early {
		s.note(doubtfulHour, e.line)
	}
	if r.State.IsOver() && r.Wait == none && impossible == "" && s.called[startTime] != "" {
		s.note(noStart, e.line)
	}
	s.addMore(&r, e)
	s.records.Add(&r, impossible, r.Run != none && e.excess() > 3600)
}

// setUnstarted sets the state of a record to unstarted if the job never started, as far as its line tells. It returns why the
// line gives no job: neither a start nor a run time is known, or the job ran on nothing.
func (s *store) setUnstarted(r *executions.Record, e *entry) (problem string) {
	if !e.start.known && r.State.IsOver() && !e.ran() {
		if math.IsNaN(e.elapsed) && s.layout != nil && s.called[startTime] == "" {
			return noRunTime // a log without starts does not tell which jobs never started
		}
		r.State = executions.Unstarted
	}
	if r.State.IsOver() && e.units == 0 {
		return noSize[s.options.Unit]
	}
	return ""
}

// addMore sets the fields of a record that few logs tell.
func (s *store) addMore(r *executions.Record, e *entry) {
	if e.eligible.known && e.eligible.at > e.submit.at {
		held := e.eligible.at - e.submit.at
		if r.Wait != none {
			held = min(held, int64(r.Wait))
		}
		r.Held = uint32(min(held, none-1))
	}
	r.QOS = s.qos.Within(e.qos, none-1)
	if s.options.NodeNames && e.nodes != nil {
		r.Nodes = s.nodeListOf(e)
	}
	if s.options.CPUs {
		r.CPUs = min(e.cpus, math.MaxInt32)
	}
}

// unreadNodes is the finding of a job whose list of nodes cannot be read. Package logstats counts the nodes.
const unreadNodes = "jobs whose list of nodes cannot be read: their numbers of nodes count; without --nodes, the machine and its " +
	"partitions may have more nodes than assumed"

// nodeListOf returns the number of the list of the nodes of an entry, 0 of a list that cannot be read. Such a list is counted.
func (s *store) nodeListOf(e *entry) uint32 {
	known := uint32(len(s.nodeLists.List()))
	n := s.nodeLists.Within(e.nodes, none-1)
	if n > known && !logtext.IsNodeList(string(e.nodes)) {
		s.unreadLists[n] = true
	}
	if s.unreadLists[n] {
		s.noteText(unreadNodes, e.line, e.nodes)
		return 0
	}
	return n
}

// clusterOf returns the number of a cluster or server, 0 where the log does not name it.
func (s *store) clusterOf(name []byte) uint16 { return uint16(s.clusters.Within(name, math.MaxUint16)) }

// settle chooses between the two times that clocks showed alike when they were put back: those between which the job
// ran for as long as it says, and a submission before its start.
func (s *store) settle(e *entry) {
	if e.submit.later != 0 || e.start.later != 0 || e.end.later != 0 {
		s.note(repeatedHour, e.line)
	}
	if !e.start.known || !e.end.known || math.IsNaN(e.elapsed) {
		if e.start.later != 0 && e.start.at < e.submit.at {
			e.start.moveOn()
		}
		if e.end.later != 0 && e.start.known && e.end.at < e.start.at {
			e.end.moveOn()
		}
		return
	}
	off := func() float64 { return float64(e.end.at-e.start.at) - e.elapsed }
	switch {
	case e.end.later != 0 && off() == -float64(e.end.later):
		e.end.moveOn()
		e.start.later = 0 // between them the clocks were put back
	case e.start.later != 0 && off() == float64(e.start.later):
		e.start.moveOn()
	case e.start.later != 0 && e.end.later != 0 && e.start.at < e.submit.at:
		e.start.moveOn()
		e.end.moveOn()
	}
	if e.end.at >= e.start.at || math.Abs(off()) == 3600 {
		s.noteElapsed(off(), e)
	}
}

// noteElapsed counts a job whose elapsed time is so many seconds shorter than from its start to its end, unless that may come from
// rounding to minutes. The elapsed time is the run time: it leaves suspensions out, and does not depend on clocks.
func (s *store) noteElapsed(shorter float64, e *entry) {
	switch {
	case math.Abs(shorter) == 3600:
		s.note(hourOff, e.line)
	case !e.state.IsOver():
	case shorter < -60:
		s.note(longElapsed, e.line)
	case shorter > 60:
		s.note(shortElapsed, e.line)
	}
}

// step notes that the log lists a step of a job.
func (s *store) step(k executions.Key, line int) {
	if s.records.EndsWith(k) {
		return
	}
	if _, ok := s.unresolved[k]; !ok {
		s.unresolved[k] = line
	}
}

// countSteps counts the steps whose job is not in the log. byJob is the order of all records by job.
func (s *store) countSteps(byJob packed.Order) {
	var lines []int
	for k, line := range s.unresolved {
		if !s.records.Lists(byJob, k) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		s.lose(orphanedSteps, line, nil)
	}
}

// finish makes the log of the jobs.
func (s *store) finish() (Log, *List, error) {
	if err := tooMany(s.file, s.records.Len(), s.options.Most); err != nil {
		return Log{}, nil, err
	}
	if !s.records.IsResolved() || len(s.unresolved) > 0 {
		byJob := s.records.ByJob()
		s.records.Resolve(byJob)
		s.countSteps(byJob)
	}
	s.records.PackAll()
	s.pieces = piecesOf(s.records.Pieces)
	if lines, first := s.damaged(); s.records.Len() == 0 {
		if first == nil {
			return Log{}, nil, &Error{File: s.file, Problem: "holds no jobs; a job log has a line for each job"}
		}
		problem := noneHoldsJob(lines, first)
		if s.layout == sacctColumns && strings.Contains(first.What, "an unreadable time") {
			problem += "; sacct writes times as 2024-03-01T08:00:00 where SLURM_TIME_FORMAT is not set"
		}
		return Log{}, nil, &Error{File: s.file, Row: first.First, Problem: problem}
	}
	ended, unfinished, unstarted := s.byEnd()
	setApart := func(what string, line int) { s.findings.add(what, line, nil, false).Apart = true }
	ended, unfinished, apart := s.records.SetApart(s.records.Sorted(ended, executions.Submit),
		s.records.Sorted(unfinished, executions.Submit), setApart)
	begin := s.first(apart)
	if ended.Len()+unfinished.Len() > 0 {
		begin = min(s.first(ended), s.first(unfinished))
	}
	if n := len(s.clusters.List()); n > 1 {
		s.list = append(s.list, Finding{What: clustersOf(s.clusters.List()), Count: ended.Len()})
	}
	if jobs, fewest, most, ok := s.cpus.Sharing(); ok {
		s.list = append(s.list, Finding{What: sharedNodes(fewest, most), Count: jobs})
	}
	l := s.log(int64(begin), ended.Len())
	l.Lost = s.measureLost(ended, apart.Len())
	l.Unfinished, l.Apart, l.NeverStarted = s.jobs(unfinished, begin).Jobs(), s.jobs(apart, begin).Jobs(), s.copied(unstarted, begin)
	return l, s.jobs(ended, begin), nil
}

// byEnd returns the records of jobs that have ended, of jobs that have not, and of jobs that never started. It counts the jobs that
// are not replayed among the findings.
func (s *store) byEnd() (ended, unfinished, unstarted packed.Order) {
	all := packed.FirstRows(s.records.Len())
	states := s.records.States() // which are asked for several times
	ended = all.Where(func(i uint32) bool { return states[i].IsOver() })
	if ended.Len() == all.Len() {
		return ended, packed.Order{}, packed.Order{}
	}
	for _, state := range states {
		if what := unreplayed[state]; what != "" {
			s.findings.add(what, 0, nil, false)
		}
	}
	unfinished = all.Where(func(i uint32) bool { return !states[i].IsOver() && states[i] < executions.Unstarted })
	return ended, unfinished, all.Where(func(i uint32) bool { return states[i] == executions.Unstarted })
}

// clustersOf says that a log has the jobs of several clusters.
func clustersOf(names []string) string {
	const most = 3
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += ", …"
	}
	return fmt.Sprintf("jobs of %d clusters or servers (%s), taken for one machine: one file for each, as of sacct --clusters, "+
		"keeps them apart", len(names), list)
}

// first returns the first submission of records in the order of their submission: 0 if the log has no records, none if the list
// has none.
func (s *store) first(records packed.Order) uint32 {
	if records.Len() > 0 {
		return s.records.Value(records.At(0), executions.Submit)
	}
	if s.records.Len() == 0 {
		return 0
	}
	return none
}

// measureLost returns what the log lost. Lines that tell no node-seconds, and jobs set apart, count as an ended job on average.
func (s *store) measureLost(ended packed.Order, apart int) Lost {
	lost := s.lost
	lost.Lines += apart
	for _, f := range s.list {
		if (f.Lost || f.Apart) && f.First > 0 && (lost.First == 0 || f.First < lost.First) {
			lost.First = f.First
		}
	}
	if lost.Lines == 0 {
		return lost
	}
	total := 0.0
	for i := range ended.All() {
		total += s.records.NodeSeconds(i)
	}
	return lost.among(total, ended.Len(), s.untold+apart)
}

// jobs returns the jobs of records. begin is the Unix time at which the log begins.
func (s *store) jobs(records packed.Order, begin uint32) *List {
	return &List{n: records.Len(), stored: &storedJobs{s, records, begin}}
}

// copied returns the jobs of records, as jobs does, in a list that does not keep the store; nil without records.
func (s *store) copied(records packed.Order, begin uint32) (list *List) {
	for j := range s.jobs(records, begin).All() {
		if list == nil {
			list = new(List)
		}
		list.Add(j)
	}
	return list
}

// named returns the names of users, groups or queues. The list of names that the log lacks is empty, and not nil: nil says that
// numbers are names.
func named(n *packed.Names) []string { return append([]string{}, n.List()...) }

// log returns the log of so many jobs that begins at a Unix time; 0 if that is not known.
func (s *store) log(begin int64, jobs int) Log {
	return Log{Format: s.options.Format, Header: headerOf(s.options, begin, jobs), Findings: s.sorted(), Names: Names{
		Users: named(&s.users), Groups: named(&s.groups), Queues: named(&s.queues), QOS: s.qos.List(), States: s.states.List(),
		Clusters: s.clusters.List(), NodeLists: s.nodeLists.List()}}
}
