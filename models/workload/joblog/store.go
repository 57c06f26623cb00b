package joblog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// store collects the jobs of a log.
type store struct {
	findings
	*layout
	called     [roles]string // what the log calls its fields; "": it has none
	sizeFields []sizeField   // that the log has, those that count first; nil: not known yet
	file       string
	options    Options
	zone       *logtext.Zone
	blocks     []*[recordsOfBlock]record
	n          int // records
	users      numbered
	groups     numbered
	queues     numbered
	qos        numbered
	states     []string // as the log calls them
	clusters   numbered
	nodeLists  numbered
	// unreadLists has the numbers of the lists of nodes that cannot be read.
	unreadLists map[uint32]bool
	held        sparse // seconds from the submission until the job was eligible to start
	qosOf       sparse
	nodesOf     sparse
	cpusOf      sparse
	partitions  bool               // queues are partitions of the machine
	unresolved  map[key]int        // steps whose job has not been seen: line
	pieces      map[uint32][]Piece // of records of jobs whose nodes changed
	impossible  map[uint32]string  // records whose times cannot be right: why
	overlong    map[uint32]bool    // records whose elapsed time is longer than from their start to their end
	lost        Lost
	untold      int // lost lines whose node-seconds are not known
	cpus        cpusOfJobs
}

// newStore returns an empty store for the records of a log of some layout. The layout is nil of a format that is not read as fields.
func newStore(file string, o Options, l *layout) *store {
	if o.Unit == "" {
		o.Unit = InNodes
	}
	s := &store{layout: l, file: file, options: o, zone: logtext.NewZone(o.Location), unresolved: map[key]int{},
		pieces: map[uint32][]Piece{}, impossible: map[uint32]string{}, overlong: map[uint32]bool{}, unreadLists: map[uint32]bool{}}
	if s.layout != nil { // a table names its own columns
		for name, r := range s.roles {
			s.called[r] = name
		}
	}
	return s
}

// recordsOfBlock is the number of records that are allocated at once.
const recordsOfBlock = 8192

func (s *store) at(i uint32) *record { return &s.blocks[i/recordsOfBlock][i%recordsOfBlock] }

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

// note counts a line that gave a job, in some way.
func (s *store) note(what string, line int) { s.findings.add(what, line, nil, false) }

// noteText does so, and shows what the line holds.
func (s *store) noteText(what string, line int, text []byte) { s.findings.add(what, line, text, false) }

// The words of findings.
const (
	noSubmitTime = "no time of submission"
	outsideEra   = "a time before 1970 or after 2105"
	noRunTime    = "neither an elapsed time nor a start and an end"
	endsEarly    = "jobs with an end before the start"
	startsEarly  = "jobs with a start before the submission"
	farAway      = "jobs with a date more than a year outside the range of the middle 98 % of the submissions"
	tooLongRun   = "jobs with a run time longer than the log"
	hourOff      = "jobs whose elapsed time is an hour off end minus start; --time-zone names the zone of the log's clocks"
	repeatedHour = "jobs with a time in the hour that clocks show twice when daylight saving ends"
	doubtfulHour = "jobs submitted in an hour that clocks show twice, taken for the earlier: they may have waited less long"
	skippedHour  = "times in the hour that clocks skip when daylight saving begins; is --time-zone right?"
	listedTwice  = "rows that list an execution of a job again"
	requeued     = "restarts of requeued jobs, each a job that was submitted when the attempt before ended"
	reusedNumber = "jobs with the number of another job, but another user, size or submission: each is a job of its own; " +
		"the log may mix clusters"
	resized        = "jobs that were resized while they ran: replays and --swf-output take their mean nodes, rounded"
	stillRunning   = "jobs that still ran when the log ended, which are not replayed"
	stillPending   = "jobs that still waited when the log ended, which are not replayed"
	neverStarted   = "jobs that never started: they were cancelled, or failed, in the queue"
	componentLines = "components of heterogeneous jobs, which are counted as one"
	orphanedSteps  = "a step of a job that the log does not list"
	messages       = "lines of messages or comments"
	tooLong        = "a line longer than any job"
)

// noSize says what is wrong with a job that ran on nothing, as far as the log tells. Jobs may have no GPUs.
var noSize = map[Unit]string{InNodes: "no number of nodes", InCPUs: "no number of CPUs"}

// unreplayed says what is found of jobs that did not end, by their states.
var unreplayed = [folded + 1]string{running: stillRunning, pending: stillPending, unstarted: neverStarted}

// add takes an execution of a job in, or counts why it cannot.
func (s *store) add(e *entry) {
	if !e.submit.known {
		s.loseEntry(noSubmitTime, e, nil)
		return
	}
	r := record{key: e.key, line: uint32(e.line), state: e.state, wait: none, run: none, limit: none, units: e.units, user: s.users.of(e.user),
		group: s.groups.of(e.group), queue: s.queues.of(e.queue), label: s.labelOf(e.label)}
	if !e.start.known && r.state.isOver() && !e.ran() {
		if math.IsNaN(e.elapsed) && s.layout != nil && s.called[startTime] == "" {
			s.loseEntry(noRunTime, e, nil) // a log that does not tell starts does not tell who never started, either
			return
		}
		r.state = unstarted
	}
	if r.state.isOver() && e.units == 0 && s.options.Unit != InGPUs {
		s.loseEntry(noSize[s.options.Unit], e, nil)
		return
	}
	s.settle(e)
	if !within(e.submit.at) || e.start.known && !within(e.start.at) {
		s.loseEntry(outsideEra, e, nil)
		return
	}
	r.submit = uint32(e.submit.at)
	impossible := ""
	if e.start.known && r.state != unstarted && r.state != pending {
		if e.start.at < e.submit.at {
			impossible = startsEarly
		} else {
			r.wait = uint32(e.start.at - e.submit.at)
		}
	}
	if r.state.isOver() || r.state == running || r.state == resizing {
		run, problem := e.run()
		over := r.state.isOver()
		switch excess := e.excess(); {
		case problem == endsEarly, over && e.start.known && e.end.known && e.end.at < e.start.at && math.Abs(excess) != 3600 && excess > 0:
			impossible = cmp.Or(impossible, endsEarly)
		case problem != "" && over:
			s.loseEntry(problem, e, nil)
			return
		case problem == "":
			r.run = seconds(run)
			if excess > 3600 {
				s.overlong[uint32(s.n)] = true
			}
		}
	}
	if e.limit >= 0.5 {
		r.limit = seconds(e.limit)
	}
	if s.options.Most > 0 && s.n > s.options.Most {
		return // finish refuses the log
	}
	if s.options.Unit != InCPUs && s.options.Unit != InGPUs && r.state.isOver() {
		s.cpus.add(e.units, e.cpus)
	}
	if early := r.wait != none && int64(r.wait) < e.submit.later && !e.movable(); e.submit.later != 0 && !early {
		s.note(doubtfulHour, e.line)
	}
	if s.n%recordsOfBlock == 0 {
		s.blocks = append(s.blocks, new([recordsOfBlock]record))
	}
	i := uint32(s.n)
	s.n++
	*s.at(i) = r
	if impossible != "" {
		s.impossible[i] = impossible
	}
	s.addMore(i, e)
}

// labelOf returns the number of a state as the log calls it, 0 where it has no name, or more than 255 names. Logs have few.
func (s *store) labelOf(label string) uint8 {
	if label == "" {
		return 0
	}
	for i, known := range s.states {
		if known == label {
			return uint8(i + 1)
		}
	}
	if len(s.states) == math.MaxUint8 {
		return 0
	}
	s.states = append(s.states, label)
	return uint8(len(s.states))
}

// addMore keeps what an entry tells of record i besides the fields of all records.
func (s *store) addMore(i uint32, e *entry) {
	if e.eligible.known && e.eligible.at > e.submit.at {
		held := e.eligible.at - e.submit.at
		if wait := s.at(i).wait; wait != none {
			held = min(held, int64(wait))
		}
		s.held.set(i, uint32(min(held, none-1)))
	}
	if e.qos != nil {
		s.qosOf.set(i, s.qos.within(e.qos, none-1))
	}
	if s.options.NodeNames && e.nodes != nil {
		s.nodesOf.set(i, s.nodeListOf(e))
	}
	if s.options.CPUs {
		s.cpusOf.set(i, min(e.cpus, math.MaxInt32))
	}
}

// nodeListOf returns the number of the list of the nodes of an entry, 0 of a list that cannot be read. Such a list is counted.
func (s *store) nodeListOf(e *entry) uint32 {
	known := uint32(len(s.nodeLists.list))
	n := s.nodeLists.within(e.nodes, none-1)
	if n > known && !logtext.IsNodeList(string(e.nodes)) {
		s.unreadLists[n] = true
	}
	if s.unreadLists[n] {
		s.noteText("jobs whose list of nodes cannot be read, so that their nodes have no names", e.line, e.nodes)
		return 0
	}
	return n
}

// clusterOf returns the number of a cluster or server, 0 where the log does not name it.
func (s *store) clusterOf(name []byte) uint16 {
	if len(name) == 0 {
		return 0
	}
	return uint16(s.clusters.within(name, math.MaxUint16))
}

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
	if math.Abs(off()) == 3600 {
		s.note(hourOff, e.line)
	}
}

// step notes that the log lists a step of a job.
func (s *store) step(k key, line int) {
	if s.n > 0 && s.at(uint32(s.n-1)).key == k {
		return
	}
	if _, ok := s.unresolved[k]; !ok {
		s.unresolved[k] = line
	}
}

// finish makes the log of the jobs.
func (s *store) finish() (Log, *List, error) {
	if err := tooMany(s.file, s.n, s.options.Most); err != nil {
		return Log{}, nil, err
	}
	byJob := s.byJob()
	s.resolve(byJob)
	s.countSteps(byJob)
	if lines, first := s.damaged(); s.n == 0 {
		if first == nil {
			return Log{}, nil, &Error{File: s.file, Problem: "holds no jobs; a job log has a line for each job"}
		}
		problem := fmt.Sprintf("none of %d lines holds a job; this is the first of those with %s", lines, first.What)
		if first.Text != "" {
			problem += fmt.Sprintf(": %q", first.Text)
		}
		if s.layout == sacctColumns && strings.Contains(first.What, "an unreadable time") {
			problem += "; sacct writes times as 2024-03-01T08:00:00 where SLURM_TIME_FORMAT is not set"
		}
		return Log{}, nil, &Error{File: s.file, Row: first.First, Problem: problem}
	}
	over := 0
	for i := range uint32(s.n) {
		if s.at(i).state.isOver() {
			over++
		}
	}
	ended, unfinished := make([]uint32, 0, over), []uint32(nil)
	never := 0
	for i := range uint32(s.n) {
		r := s.at(i)
		if what := unreplayed[r.state]; what != "" {
			s.findings.add(what, 0, nil, false)
		}
		switch {
		case r.state.isOver():
			ended = append(ended, i)
		case r.state < unstarted:
			unfinished = append(unfinished, i)
		case r.state == unstarted:
			never++
		}
	}
	s.bySubmission(ended)
	s.bySubmission(unfinished)
	ended, unfinished, apart := s.setApart(ended, unfinished)
	begin := s.first(apart)
	if len(ended)+len(unfinished) > 0 {
		begin = min(s.first(ended), s.first(unfinished))
	}
	if n := len(s.clusters.list); n > 1 {
		s.list = append(s.list, Finding{What: clustersOf(s.clusters.list), Count: len(ended)})
	}
	if f, ok := s.cpus.finding(); ok {
		s.list = append(s.list, f)
	}
	l := s.log(int64(begin), len(ended))
	l.Lost = s.measureLost(ended, len(apart))
	l.Unfinished, l.Apart, l.NeverStarted = s.jobs(unfinished, begin).Jobs(), s.jobs(apart, begin).Jobs(), never
	return l, s.jobs(ended, begin), nil
}

// clustersOf says that a log has the jobs of several clusters.
func clustersOf(names []string) string {
	const most = 3
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += ", …"
	}
	return fmt.Sprintf("jobs of %d clusters or servers (%s), taken for one machine: one file for each, as of sacct --clusters, keeps them apart",
		len(names), list)
}

// first returns the first submission of records in the order of their submission: 0 if the log has no records, none if the list has none.
func (s *store) first(records []uint32) uint32 {
	switch {
	case len(records) > 0:
		return s.at(records[0]).submit
	case s.n == 0:
		return 0
	}
	return none
}

// measureLost returns what the log lost. Lines that tell no node-seconds, and jobs set apart, count as an ended job on average.
func (s *store) measureLost(ended []uint32, apart int) Lost {
	total := 0.0
	for _, i := range ended {
		total += s.nodeSeconds(i)
	}
	lost := s.lost
	lost.Lines += apart
	for _, f := range s.list {
		if (f.Lost || f.Apart) && f.First > 0 && (lost.First == 0 || f.First < lost.First) {
			lost.First = f.First
		}
	}
	return lost.among(total, len(ended), s.untold+apart)
}

// nodeSeconds returns the node-seconds of record i.
func (s *store) nodeSeconds(i uint32) float64 {
	pieces := s.pieces[i]
	if pieces == nil {
		return s.at(i).nodeSeconds()
	}
	return heldIn(pieces)
}

// bySubmission sorts records by their submission; records of the same time keep their order.
func (s *store) bySubmission(records []uint32) {
	slices.SortStableFunc(records, func(a, b uint32) int { return cmp.Compare(s.at(a).submit, s.at(b).submit) })
}

// jobs returns the jobs of records. begin is the Unix time at which the log begins.
func (s *store) jobs(records []uint32, begin uint32) *List {
	return &List{n: len(records), fill: func(i int, j *Job) { s.fill(j, records[i], begin) }}
}

// named returns the names of users, groups or queues. The list of names that the log lacks is empty, and not nil: nil says that numbers are
// names.
func named(n *numbered) []string { return append([]string{}, n.list...) }

// log returns the log of so many jobs that begins at a Unix time; 0 if that is not known.
func (s *store) log(begin int64, jobs int) Log {
	return Log{Format: s.options.Format, Header: headerOf(s.options, begin, jobs), Findings: s.sorted(), Names: Names{
		Users: named(&s.users), Groups: named(&s.groups), Queues: named(&s.queues), QOS: s.qos.list, States: s.states,
		Clusters: s.clusters.list, NodeLists: s.nodeLists.list}}
}
