package joblog

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// store collects the jobs of a log.
type store struct {
	findings
	*layout
	called     [roles]string // what the log calls its fields; "": it has none
	file       string
	options    Options
	zone       *logtext.Zone
	blocks     []*[recordsOfBlock]record
	n          int // records
	users      numbered
	groups     numbered
	queues     numbered
	partitions bool        // queues are partitions of the machine
	unresolved map[key]int // steps whose job has not been seen: line
	cpus       cpusOfJobs
}

// newStore returns an empty store for the records of a log of some layout, which is nil of a format that is not read as fields.
func newStore(file string, o Options, l *layout) *store {
	if o.Unit == "" {
		o.Unit = inNodes
	}
	s := &store{layout: l, file: file, options: o, zone: logtext.NewZone(o.Location), unresolved: map[key]int{}}
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

// lose counts a line that gave no job.
func (s *store) lose(what string, line int, text []byte) { s.findings.add(what, line, text, true) }

// note counts a line that gave one, in some way.
func (s *store) note(what string, line int) { s.findings.add(what, line, nil, false) }

// The words of findings.
const (
	noSubmitTime   = "no time of submission"
	outsideEra     = "a time before 1970 or after 2105"
	noRunTime      = "neither an elapsed time nor a start and an end"
	endsEarly      = "an end before the start"
	startsEarly    = "jobs with a start before the submission, whose wait is not known"
	hourOff        = "jobs whose elapsed time is an hour off end minus start; --time-zone names the zone of the log's clocks"
	repeatedHour   = "jobs with a time in the hour that clocks show twice when daylight saving ends"
	doubtfulHour   = "jobs submitted in an hour that clocks show twice, taken for the earlier: they may have waited less long"
	skippedHour    = "times in the hour that clocks skip when daylight saving begins; is --time-zone right?"
	listedTwice    = "executions that are listed again"
	requeued       = "further executions of requeued jobs, each a job that was submitted when the one before ended"
	stillRunning   = "jobs that still ran, which are not replayed"
	stillPending   = "jobs that still waited, which are not replayed"
	neverStarted   = "jobs that were cancelled, or failed, before they started"
	componentLines = "components of heterogeneous jobs, which are counted as one"
	orphanedSteps  = "a step of a job that the log does not list"
)

// unreplayed says what is found of jobs that did not end, by their states.
var unreplayed = [folded + 1]string{running: stillRunning, pending: stillPending, unstarted: neverStarted}

// add takes an execution of a job in, or counts why it cannot.
func (s *store) add(e *entry) {
	if !e.submit.known {
		s.lose(noSubmitTime, e.line, nil)
		return
	}
	r := record{key: e.key, line: uint32(e.line), state: e.state, wait: none, run: none, limit: none, units: e.units, user: s.users.of(e.user),
		group: s.groups.of(e.group), queue: s.queues.of(e.queue)}
	if !e.start.known && r.state != pending && r.state != running && !e.ran() {
		r.state = unstarted
	}
	s.settle(e)
	if !within(e.submit.at) || e.start.known && !within(e.start.at) {
		s.lose(outsideEra, e.line, nil)
		return
	}
	r.submit = uint32(e.submit.at)
	if e.start.known && r.state != unstarted && r.state != pending {
		if e.start.at < e.submit.at {
			s.note(startsEarly, e.line)
		} else {
			r.wait = uint32(e.start.at - e.submit.at)
		}
	}
	if r.state.isOver() || r.state == running {
		run, problem := e.run()
		if problem != "" && r.state != running {
			s.lose(problem, e.line, nil)
			return
		}
		if problem == "" {
			r.run = seconds(run)
		}
	}
	if e.limit >= 0.5 {
		r.limit = seconds(e.limit)
	}
	if s.options.Most > 0 && s.n > s.options.Most {
		return // finish refuses the log
	}
	if s.options.Unit != inCPUs && s.options.Unit != inGPUs && r.state.isOver() {
		s.cpus.add(e.units, e.cpus)
	}
	if early := r.wait != none && int64(r.wait) < e.submit.later && !e.movable(); e.submit.later != 0 && !early {
		s.note(doubtfulHour, e.line)
	}
	if s.n%recordsOfBlock == 0 {
		s.blocks = append(s.blocks, new([recordsOfBlock]record))
	}
	s.n++
	*s.at(uint32(s.n - 1)) = r
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
	if lines, first := s.lost(); s.n == 0 {
		if first == nil {
			return Log{}, nil, &Error{File: s.file, Problem: "holds no jobs"}
		}
		return Log{}, nil, &Error{File: s.file, Row: first.First,
			Problem: fmt.Sprintf("none of %d lines holds a job; this is the first of those with %s: %q", lines, first.What,
				first.Text)}
	}
	begin := uint32(none)
	var ended, unfinished []uint32
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
		default:
			continue
		}
		begin = min(begin, r.submit)
	}
	if f, ok := s.cpus.finding(); ok {
		s.list = append(s.list, f)
	}
	if begin == none {
		begin = 0
	}
	l := s.log(int64(begin), len(ended))
	l.Unfinished = s.jobs(unfinished, begin).Jobs()
	return l, s.jobs(ended, begin), nil
}

// jobs returns the jobs of the records of some numbers, in the order of their submission.
func (s *store) jobs(order []uint32, begin uint32) *List {
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(s.at(a).submit, s.at(b).submit) })
	return &List{n: len(order), at: func(i int) Job { return s.at(order[i]).job(begin, s.partitions) }}
}

// log returns the log of so many jobs that begins at a Unix time; 0 if that is not known.
func (s *store) log(begin int64, jobs int) Log {
	return Log{Format: s.options.Format, Header: headerOf(s.options, begin, jobs), Findings: s.sorted()}
}
