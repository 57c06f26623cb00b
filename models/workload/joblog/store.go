package joblog

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload/internal/timetext"
	"github.com/partwise/partwise/models/workload/swf"
)

// none stands for a number that a log does not tell.
const none = math.MaxUint32

// state tells how far a job came.
type state uint8

const (
	completed state = iota
	failed
	cancelled
	unknown // how it ended
	running
	pending
	unstarted // cancelled before it started
	folded    // into another record
)

// statusOf are the statuses of states.
var statusOf = [...]swf.Status{completed: swf.Completed, failed: swf.Failed, cancelled: swf.Cancelled,
	unknown: swf.Unknown, running: swf.Unknown, pending: swf.Unknown}

// isOver reports whether a job that started has ended.
func (s state) isOver() bool { return s <= unknown }

// key tells one job from another.
type key struct {
	id, task  uint32 // of a task of an array: its number + 1; 0 for a job that is none
	component uint8  // of a heterogeneous job: its number + 1; 0 for a job that is none
}

// record is one execution of a job, in whole seconds. A log of a million jobs is as many records: what has few values
// stands in tables of the store.
type record struct {
	submit                     uint32 // Unix time
	wait, run, units, id, task uint32
	limit, user, place         uint16 // numbers in tables, from 1; 0: none
	state                      state
	component                  uint8
}

// place is a group and a queue.
type place struct{ group, queue uint16 }

// numbered gives the values of a table numbers from 1, in the order in which they come.
type numbered[T comparable] struct {
	values []T
	at     map[T]uint16
	last   T // that was asked for, and its number
	number uint16
}

// of returns the number of a value; 0 if the table is full.
func (n *numbered[T]) of(v T) uint16 {
	if n.number > 0 && v == n.last {
		return n.number
	}
	i, ok := n.at[v]
	if !ok {
		if len(n.values) == math.MaxUint16 {
			return 0
		}
		if n.at == nil {
			n.at = map[T]uint16{}
		}
		n.values = append(n.values, v)
		i = uint16(len(n.values))
		n.at[v] = i
	}
	n.last, n.number = v, i
	return i
}

func (r *record) key() key { return key{r.id, r.task, r.component} }

// end returns the Unix time of the end of an execution, 0 if it is not known.
func (r *record) end() uint32 {
	if r.wait == none || r.run == none {
		return 0
	}
	return r.submit + r.wait + r.run
}

// moment is a time of a log.
type moment struct {
	at    int64 // Unix time
	later int64 // by how many seconds clocks showed it once more; 0: they did not
	known bool
}

// entry is what a line says of one execution of a job.
type entry struct {
	key
	line               int
	submit, start, end moment
	elapsed            float64 // seconds; NaN if the line does not tell
	limit              float64 // seconds; NaN if there is none
	units              uint32
	state              state
	user, group, queue []byte
}

// chunk is the number of records that are allocated at once.
const chunk = 8192

// store collects the jobs of a log.
type store struct {
	findings
	file       string
	options    Options
	zone       *timetext.Zone
	chunks     []*[chunk]record
	n          uint32
	index      []uint32          // of the newest record of each key + 1, hashed by key; 0: empty
	used       int               // slots of index
	earlier    map[uint32]uint32 // record of a job → that of its execution before, if it has several
	names      [3]map[string]uint16
	limits     numbered[uint32]
	places     numbered[place]
	partitions bool        // queues are partitions of the machine
	unresolved map[key]int // steps whose job has not been seen: line
}

func newStore(file string, o Options) *store {
	return &store{file: file, options: o, zone: timetext.NewZone(o.Location), index: make([]uint32, 1024),
		earlier: map[uint32]uint32{}, unresolved: map[key]int{}}
}

func (s *store) at(i uint32) *record { return &s.chunks[i/chunk][i%chunk] }

// lose counts a line that gave no job.
func (s *store) lose(what string, line int, text []byte) { s.findings.add(what, line, text, true) }

// note counts a line that gave one, in some way.
func (s *store) note(what string, line int) { s.findings.add(what, line, nil, false) }

// slot returns where index has a key, or an empty slot for it.
func (s *store) slot(k key) int {
	h := (uint64(k.id)<<32 | uint64(k.task)) ^ uint64(k.component)<<24
	h = (h ^ h>>29) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	mask := uint64(len(s.index) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if s.index[i] == 0 || s.at(s.index[i]-1).key() == k {
			return int(i)
		}
	}
}

// newest returns the record of a job's latest execution in the log.
func (s *store) newest(k key) (uint32, bool) {
	i := s.index[s.slot(k)]
	return i - 1, i != 0
}

func (s *store) grow() {
	old := s.index
	s.index = make([]uint32, 2*len(old))
	for _, i := range old {
		if i != 0 {
			s.index[s.slot(s.at(i-1).key())] = i
		}
	}
}

// name returns the number of a name, from 1 in the order of appearance; 0 for none, or if there are too many.
func (s *store) name(kind int, text []byte, line int) uint16 {
	if len(text) == 0 {
		return 0
	}
	if n, ok := s.names[kind][string(text)]; ok {
		return n
	}
	if len(s.names[kind]) == math.MaxUint16 {
		s.note(tooManyNames, line)
		return 0
	}
	if s.names[kind] == nil {
		s.names[kind] = map[string]uint16{}
	}
	n := uint16(len(s.names[kind]) + 1)
	s.names[kind][string(text)] = n
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
		user: s.name(0, e.user, e.line)}
	if at := (place{s.name(1, e.group, e.line), s.name(2, e.queue, e.line)}); at != (place{}) {
		if r.place = s.places.of(at); r.place == 0 {
			s.note(tooManyNames, e.line)
		}
	}
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
		if r.limit = s.limits.of(seconds(e.limit)); r.limit == 0 {
			s.note(tooManyNames, e.line)
		}
	}
	if s.options.Most > 0 && int(s.n) > s.options.Most {
		return // finish refuses the log
	}
	s.insert(&r, e.line)
}

// ran reports whether the elapsed time of a job is known, and at least a second when it is rounded.
func (e *entry) ran() bool { return !math.IsNaN(e.elapsed) && seconds(e.elapsed) > 0 }

// run returns for how long a job ran, or why that is not known.
func (e *entry) run() (seconds float64, problem string) {
	switch {
	case !math.IsNaN(e.elapsed):
		return e.elapsed, ""
	case !e.start.known || !e.end.known:
		return 0, noRunTime
	case e.end.at < e.start.at:
		return 0, endsEarly
	}
	return float64(e.end.at - e.start.at), ""
}

func within(unix int64) bool { return unix >= 0 && unix < none }

// seconds rounds a time to whole seconds.
func seconds(x float64) uint32 { return uint32(min(math.Round(x), none-1)) }

// settle chooses between the two times that clocks showed alike when they were put back: those between which the job
// ran for as long as it says, and a submission before its start.
func (s *store) settle(e *entry) {
	if e.submit.later != 0 || e.start.later != 0 || e.end.later != 0 {
		s.note(repeatedHour, e.line)
	}
	if !e.start.known || !e.end.known || math.IsNaN(e.elapsed) {
		if e.start.later != 0 && e.start.at < e.submit.at {
			e.start.at += e.start.later
		}
		if e.end.later != 0 && e.start.known && e.end.at < e.start.at {
			e.end.at += e.end.later
		}
		return
	}
	off := func() float64 { return float64(e.end.at-e.start.at) - e.elapsed }
	switch {
	case e.end.later != 0 && off() == -float64(e.end.later):
		e.end.at += e.end.later
	case e.start.later != 0 && off() == float64(e.start.later):
		e.start.at += e.start.later
	case e.start.later != 0 && e.end.later != 0 && e.start.at < e.submit.at:
		e.start.at, e.end.at = e.start.at+e.start.later, e.end.at+e.end.later
	}
	if math.Abs(off()) == 3600 {
		s.note(hourOff, e.line)
	}
}

// insert stores a record unless the log has listed the same execution before: one with the same start, or one of the
// same submission that had not started when it was listed.
func (s *store) insert(r *record, line int) {
	slot := s.slot(r.key())
	newest := s.index[slot]
	if newest != 0 {
		for i := newest - 1; ; {
			old := s.at(i)
			if old.sameExecution(r) {
				s.note(listedTwice, line)
				if !old.state.isOver() {
					*old = *r
				}
				return
			}
			next, ok := s.earlier[i]
			if !ok {
				break
			}
			i = next
		}
		s.note(requeued, line)
		s.earlier[s.n] = newest - 1
	}
	if int(s.n/chunk) == len(s.chunks) {
		s.chunks = append(s.chunks, new([chunk]record))
	}
	*s.at(s.n) = *r
	s.n++
	s.index[slot] = s.n
	if newest == 0 {
		if s.used++; 4*s.used > 3*len(s.index) {
			s.grow()
		}
	}
}

// sameExecution reports whether two records of a job are of one execution.
func (r *record) sameExecution(o *record) bool {
	if r.wait == none || o.wait == none {
		return r.submit == o.submit
	}
	return r.submit+r.wait == o.submit+o.wait
}

// step notes that the log lists a step of a job.
func (s *store) step(k key, line int) {
	if i := s.n; i > 0 && s.at(i-1).key() == k {
		return
	}
	if _, ok := s.newest(k); !ok {
		if _, ok := s.unresolved[k]; !ok {
			s.unresolved[k] = line
		}
	}
}

// finish puts the jobs in the order of their submission.
func (s *store) finish() (*Stored, error) {
	if s.options.Most > 0 && int(s.n) > s.options.Most {
		return nil, &Error{File: s.file, Problem: fmt.Sprintf(
			"has more than %d jobs, which do not fit into the memory allowed", s.options.Most)}
	}
	s.foldComponents()
	s.separateExecutions()
	s.countSteps()
	s.index = nil
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
	if begin == none {
		begin = 0
	}
	l := &Stored{format: s.options.Format, header: headerOf(s.options, int64(begin), jobs), findings: s.sorted(), n: jobs}
	l.job = func(i int, j *swf.Job) {
		at := uint32(i)
		if order != nil {
			at = order[i]
		}
		s.decode(at, begin, j)
	}
	for _, i := range unfinished {
		var j swf.Job
		s.decode(i, begin, &j)
		l.unfinished = append(l.unfinished, j)
	}
	return l, nil
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

// foldComponents adds the nodes of the components of a heterogeneous job, which start together, to those of its first.
func (s *store) foldComponents() {
	for i := range s.n {
		r := s.at(i)
		if r.component < 2 {
			continue
		}
		first, ok := s.newest(key{r.id, r.task, 1})
		for ok && !s.at(first).sameExecution(r) {
			first, ok = s.earlier[first]
		}
		if !ok {
			continue
		}
		whole := s.at(first)
		whole.units += r.units
		if whole.run != none && r.run != none {
			whole.run = max(whole.run, r.run)
		}
		r.state = folded
		s.findings.add(componentLines, 0, nil, false)
	}
}

// separateExecutions lets each further execution of a job be submitted no earlier than the one before it ended.
func (s *store) separateExecutions() {
	last := map[uint32]bool{} // execution in the log that no later one follows
	for i := range s.earlier {
		last[i] = true
	}
	for _, i := range s.earlier {
		delete(last, i)
	}
	for i := range last {
		executions := []*record{s.at(i)}
		for next, ok := s.earlier[i]; ok; next, ok = s.earlier[next] {
			executions = append(executions, s.at(next))
		}
		start := func(r *record) uint64 {
			if r.wait == none {
				return uint64(r.submit) << 1
			}
			return uint64(r.submit+r.wait) << 1
		}
		sort.SliceStable(executions, func(a, b int) bool { return start(executions[a]) < start(executions[b]) })
		for k := 1; k < len(executions); k++ {
			r, end := executions[k], executions[k-1].end()
			if r.submit >= end || r.wait != none && r.submit+r.wait < end {
				continue
			}
			if r.wait != none {
				r.wait -= end - r.submit
			}
			r.submit = end
		}
	}
}

func (s *store) countSteps() {
	var lines []int
	for k, line := range s.unresolved {
		if _, ok := s.newest(k); !ok {
			lines = append(lines, line)
		}
	}
	sort.Ints(lines)
	for _, line := range lines {
		s.lose(orphanedSteps, line, nil)
	}
}

// decode makes a job of a record. begin is the Unix time at which the log begins.
func (s *store) decode(i, begin uint32, j *swf.Job) {
	r := s.at(i)
	*j = blank(int(r.id))
	j.Submit = float64(r.submit - begin)
	j.Processors = int(r.units)
	j.Status = statusOf[r.state]
	number := func(n uint32) float64 {
		if n == none {
			return -1
		}
		return float64(n)
	}
	j.Wait, j.Run = number(r.wait), number(r.run)
	if r.limit > 0 {
		j.Estimate = number(s.limits.values[r.limit-1])
	}
	if r.user > 0 {
		j.User = int(r.user)
	}
	var at place
	if r.place > 0 {
		at = s.places.values[r.place-1]
	}
	if at.group > 0 {
		j.Group = int(at.group)
	}
	switch {
	case at.queue == 0:
	case s.partitions:
		j.Partition = int(at.queue)
	default:
		j.Queue = int(at.queue)
	}
}

// blank returns a job of which nothing is known but its number.
func blank(id int) swf.Job {
	return swf.Job{ID: id, Submit: -1, Wait: -1, Run: -1, Processors: -1, ProcessorTime: -1, Memory: -1,
		RequestedProcessors: -1, Estimate: -1, RequestedMemory: -1, Status: swf.Unknown, User: -1, Group: -1,
		Application: -1, Queue: -1, Partition: -1, Preceding: -1, ThinkTime: -1}
}

// headerOf returns the header of a log of another format, as it would be written in Standard Workload Format.
func headerOf(o Options, begin int64, jobs int) swf.Header {
	h := swf.Header{MaxJobs: jobs, Fields: map[string]string{}}
	add := func(name, value string) {
		h.Fields[name] = value
		h.Comments = append(h.Comments, fmt.Sprintf(" %s: %s", name, value))
	}
	add("Version", "2.2")
	add("Note", fmt.Sprintf("from a log in the format %s; processors are %s", o.Format, o.Unit))
	add("MaxJobs", fmt.Sprint(jobs))
	if begin > 0 {
		h.UnixStartTime = begin
		add("UnixStartTime", fmt.Sprint(begin))
		if o.Location != nil {
			add("TimeZoneString", o.Location.String())
		}
	}
	return h
}

// Stored is a log that has been read as a whole. It is a [Reader] of its jobs, in the order of their submission.
type Stored struct {
	format     Format
	header     swf.Header
	findings   []Finding
	unfinished []swf.Job
	job        func(i int, j *swf.Job)
	n, next    int
}

// Header returns what is known of the log as a whole.
func (l *Stored) Header() *swf.Header { return &l.header }

// Format returns the format that the log is in.
func (l *Stored) Format() Format { return l.format }

// Len returns the number of jobs.
func (l *Stored) Len() int { return l.n }

// Next reads the next job.
func (l *Stored) Next(j *swf.Job) error {
	if l == nil || l.next == l.n {
		return io.EOF
	}
	l.job(l.next, j)
	l.next++
	return nil
}

// Again returns a reader of the same jobs from the first on.
func (l *Stored) Again() *Stored {
	again := *l
	again.next = 0
	return &again
}

// Unfinished returns the jobs that had not ended when the log was written: the run times of those that had started are
// how long they had run until then, at least; others have none.
func (l *Stored) Unfinished() []swf.Job { return l.unfinished }

// Findings returns what lines of the log have in common that should be known: first what is wrong with those that gave
// no job.
func (l *Stored) Findings() []Finding { return l.findings }
