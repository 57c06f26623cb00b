package joblog

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// chunk is the number of records that are allocated at once.
const chunk = 8192

// store collects the jobs of a log.
type store struct {
	findings
	*layout
	called     [roles]string // what the log calls its fields; "": it has none
	file       string
	options    Options
	zone       *logtext.Zone
	chunks     []*[chunk]record
	n          uint32
	users      numbered[string]
	groups     numbered[string]
	queues     numbered[string]
	limits     numbered[uint32]
	places     numbered[place]
	partitions bool        // queues are partitions of the machine
	unresolved map[key]int // steps whose job has not been seen: line
	cpus       cpusOfJobs
}

func newStore(file string, o Options) *store {
	return &store{layout: layouts[o.Format], file: file, options: o, zone: logtext.NewZone(o.Location), unresolved: map[key]int{}}
}

func (s *store) at(i uint32) *record { return &s.chunks[i/chunk][i%chunk] }

// lose counts a line that gave no job.
func (s *store) lose(what string, line int, text []byte) { s.findings.add(what, line, text, true) }

// note counts a line that gave one, in some way.
func (s *store) note(what string, line int) { s.findings.add(what, line, nil, false) }

// number returns the number of a value in a table, 0 of the zero value; a value for which there is no room is noted, and has none.
func number[T comparable](s *store, table *numbered[T], v T, line int) (n uint16) {
	var zero T
	if v == zero {
		return 0
	}
	if n = table.of(v); n == 0 {
		s.note(tooManyNames, line)
	}
	return n
}

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
	tooManyNames   = "jobs whose user, account, partition or time limit is left out, as it is one of more than 65535"
	orphanedSteps  = "a step of a job that the log does not list"
)

// add takes an execution of a job in, or counts why it cannot.
func (s *store) add(e *entry) {
	if !e.submit.known {
		s.lose(noSubmitTime, e.line, nil)
		return
	}
	r := record{id: e.id, task: e.task, component: e.component, units: e.units, state: e.state, wait: none, run: none,
		line: uint32(e.line), user: number(s, &s.users, string(e.user), e.line)}
	at := place{number(s, &s.groups, string(e.group), e.line), number(s, &s.queues, string(e.queue), e.line)}
	r.place = number(s, &s.places, at, e.line)
	if !e.start.known && r.state != pending && r.state != running {
		if !e.ran() {
			r.state = unstarted
		}
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
	if e.limit > 0 {
		r.limit = number(s, &s.limits, seconds(e.limit), e.line)
	}
	if s.options.Most > 0 && int(s.n) > s.options.Most {
		return // finish refuses the log
	}
	if s.options.Unit != inCPUs && s.options.Unit != inGPUs && r.state.isOver() {
		s.cpus.add(e.units, e.cpus)
	}
	if early := r.wait != none && int64(r.wait) < e.submit.later && !e.movable(); e.submit.later != 0 && !early {
		s.note(doubtfulHour, e.line)
	}
	if int(s.n/chunk) == len(s.chunks) {
		s.chunks = append(s.chunks, new([chunk]record))
	}
	*s.at(s.n) = r
	s.n++
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
	if i := s.n; i > 0 && s.at(i-1).key() == k {
		return
	}
	if _, ok := s.unresolved[k]; !ok {
		s.unresolved[k] = line
	}
}

// finish puts the jobs in the order of their submission.
func (s *store) finish() (*Reader, error) {
	if s.options.Most > 0 && int(s.n) > s.options.Most {
		err := tooMany(s.options.Most)
		err.File = s.file
		return nil, err
	}
	byJob := s.byJob()
	s.resolve(byJob)
	s.countSteps(byJob)
	var order []uint32 // nil while all records are jobs, in the order of their submission
	jobs, latest, inOrder := 0, uint32(0), true
	begin := uint32(none)
	var unfinished []uint32
	for i := range s.n {
		switch r := s.at(i); r.state {
		case folded:
			continue
		case unstarted:
			s.findings.add(neverStarted, 0, nil, false)
			continue
		case running, pending:
			what := stillRunning
			if r.state == pending {
				what = stillPending
			}
			s.findings.add(what, 0, nil, false)
			unfinished = append(unfinished, i)
			begin = min(begin, r.submit)
		default:
			jobs++
			inOrder = inOrder && r.submit >= latest
			latest = r.submit
			begin = min(begin, r.submit)
		}
	}
	if lines, first := s.lost(); s.n == 0 {
		if first == nil {
			return nil, &Error{File: s.file, Problem: "holds no jobs"}
		}
		return nil, &Error{File: s.file, Row: first.First,
			Problem: fmt.Sprintf("none of %d lines holds a job; this is the first of those with %s: %q", lines, first.What,
				first.Text)}
	}
	bySubmission := func(a, b uint32) int { return cmp.Compare(s.at(a).submit, s.at(b).submit) }
	if !inOrder || jobs < int(s.n) {
		order = s.jobs(jobs)
		if !inOrder {
			slices.SortStableFunc(order, bySubmission)
		}
	}
	slices.SortStableFunc(unfinished, bySubmission)
	if f, ok := s.cpus.finding(); ok {
		s.list = append(s.list, f)
	}
	if begin == none {
		begin = 0
	}
	l := s.reader(int64(begin), &List{jobs, func(i int, j *Job) {
		at := uint32(i)
		if order != nil {
			at = order[i]
		}
		s.decode(at, begin, j)
	}})
	for _, i := range unfinished {
		var j Job
		s.decode(i, begin, &j)
		l.Unfinished = append(l.Unfinished, j)
	}
	return l, nil
}

// reader returns the reader of the jobs of a log that begins at a Unix time; 0 if that is not known.
func (s *store) reader(begin int64, jobs *List) *Reader {
	return &Reader{Format: s.options.Format, Header: headerOf(s.options, begin, jobs.n), Findings: s.sorted(), Source: jobs.Jobs()}
}

// jobs returns the records that are jobs, n of them.
func (s *store) jobs(n int) []uint32 {
	order := make([]uint32, 0, n)
	for i := range s.n {
		if s.at(i).state.isOver() {
			order = append(order, i)
		}
	}
	return order
}
