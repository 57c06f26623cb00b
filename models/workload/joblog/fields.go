package joblog

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// role is what a field of a log tells.
type role int

const (
	jobID role = iota
	jobIDRaw
	user
	group
	queue
	submitTime
	queuedTime // where there is no time of submission
	startTime
	endTime
	elapsedRaw // seconds
	elapsed    // as clocks show it
	limitRaw   // minutes
	timeLimit  // as clocks show it
	stateName
	hostList // where the job ran
	allocNodes
	nodeCount // allocated, or requested while the job waits
	reqNodes
	allocCPUs
	slots
	cpuCount
	reqCPUs
	allocGPUs
	allocTRES
	reqTRES
	selected // parts of the machine that a job asked for
	nodesAsked
	freeText // that users write: it may hold separators
	roles    // how many there are
)

// fields are what a log says of one execution of a job, by role; nil: nothing.
type fields [roles][]byte

// layout describes a format whose lines or objects are read as fields.
type layout struct {
	roles map[string]role // by the names of columns, in lower case, or of attributes
	// state reads how far a job came. A log without a field for it tells by the times.
	state   func(text []byte) (state, bool)
	seconds bool   // a duration may be a number of seconds
	columns string // of a table: the columns that its first line names, for an error
}

// sizeFields are the fields that tell how much of the machine a job had, or asked for, those that count first.
var sizeFields = []struct {
	role      role
	unit      Unit // "": any
	allocated bool // and not asked for
	count     func(text []byte, of Unit) (n uint32, ok bool)
}{
	{hostList, inNodes, true, hostsOf}, {allocNodes, inNodes, true, parseCount}, {nodeCount, inNodes, false, parseCount},
	{reqNodes, inNodes, false, parseCount}, {allocCPUs, inCPUs, true, parseCount}, {slots, inCPUs, true, parseCount},
	{hostList, inCPUs, true, hostsOf}, {cpuCount, inCPUs, false, parseCount}, {reqCPUs, inCPUs, false, parseCount},
	{allocGPUs, inGPUs, true, parseCount}, {allocTRES, "", true, parseTRES}, {reqTRES, "", false, parseTRES},
	{selected, "", true, chunksOf}, {nodesAsked, "", true, chunksOf},
}

// take takes in an execution of a job of which the key and the line are known, or counts what is wrong with its fields.
func (s *store) take(f *fields, e *entry) {
	e.user, e.group, e.queue = f[user], f[group], f[queue]
	problem, text := s.times(f, e)
	if problem == "" {
		problem, text = s.durations(f, e)
	}
	if problem == "" {
		problem, text = s.stateOf(f, e)
	}
	if problem == "" {
		problem, text = s.sizes(f, e)
	}
	if problem != "" {
		s.lose(problem, e.line, text)
		return
	}
	s.add(e)
}

// times reads when a job was submitted, started and ended.
func (s *store) times(f *fields, e *entry) (problem string, text []byte) {
	submit := submitTime
	if f[submit] == nil && f[queuedTime] != nil {
		submit = queuedTime
	}
	for _, want := range [...]struct {
		role role
		to   *moment
	}{{submit, &e.submit}, {startTime, &e.start}, {endTime, &e.end}} {
		var ok bool
		if *want.to, ok = s.moment(f[want.role], e.line); !ok {
			return "a time in " + s.called[want.role] + " that is none", f[want.role]
		}
	}
	return "", nil
}

// durations reads the elapsed time and the time limit: in seconds and minutes, or as clocks show them.
func (s *store) durations(f *fields, e *entry) (problem string, text []byte) {
	e.elapsed, e.limit = math.NaN(), math.NaN()
	for _, want := range [...]struct {
		role role
		unit float64 // of a number; 0: it is none
		to   *float64
	}{{elapsed, 0, &e.elapsed}, {elapsedRaw, 1, &e.elapsed}, {timeLimit, 0, &e.limit}, {limitRaw, 60, &e.limit}} {
		text := f[want.role]
		if isUnknown(text) || want.to == &e.limit && isUnlimited(text) {
			continue
		}
		x, ok := logtext.Clock(text)
		ok = ok && want.unit == 0
		if s.seconds {
			want.unit = 1
		}
		if !ok && want.unit > 0 {
			raw, err := strconv.ParseFloat(string(text), 64)
			x, ok = want.unit*raw, err == nil && raw >= 0 && raw <= none
		}
		if !ok {
			return "a duration in " + s.called[want.role] + " that is none", text
		}
		*want.to = x
	}
	return "", nil
}

// stateOf reads how far a job came.
func (s *store) stateOf(f *fields, e *entry) (problem string, text []byte) {
	e.state = unknown
	switch text, ok := f[stateName], true; {
	case text != nil:
		if e.state, ok = s.state(text); !ok {
			return "a state that is none", text
		}
	case !e.end.known && s.called[endTime] != "":
		e.state = running
		if !e.start.known {
			e.state = pending
		}
	}
	return "", nil
}

// sizes reads how much of the machine a job had, or asked for while it had none, and sees from it whether a job that
// was cancelled had started: old versions of Slurm list such a job as started when it was cancelled, on no nodes.
func (s *store) sizes(f *fields, e *entry) (problem string, text []byte) {
	var allocated, other [3]uint32
	told := false
	for _, c := range sizeFields {
		if s.called[c.role] == "" {
			continue
		}
		for k, u := range units {
			to := &other[k]
			if c.allocated {
				to = &allocated[k]
			}
			if c.unit != "" && c.unit != u || *to > 0 {
				continue
			}
			var ok bool
			if *to, ok = c.count(f[c.role], u); !ok && u == s.options.Unit {
				return "a number in " + s.called[c.role] + " that is none; sacct --noconvert does not round", f[c.role]
			}
			told = told || c.allocated
		}
	}
	k := slices.Index(units[:], s.options.Unit)
	if e.units = allocated[k]; e.units == 0 && !(s.options.Unit == inGPUs && e.state.isOver()) {
		e.units = other[k]
	}
	if e.cpus = 0; s.options.Unit == inNodes {
		e.cpus = max(allocated[1], other[1])
	}
	if told && allocated == [3]uint32{} && e.state == cancelled && !e.ran() {
		e.start.known, e.elapsed = false, 0
	}
	return "", nil
}

// moment reads a time: ISO 8601, on the clocks of the log's zone unless it names another, or seconds since 1970, of which 0 is no time.
func (s *store) moment(text []byte, line int) (m moment, ok bool) {
	if isUnknown(text) || string(text) == "0" {
		return m, true
	}
	m.known = true
	if t, zoned, ok := logtext.ParseStamp(text); ok {
		if m.at = t.Unix(); !zoned {
			var missing bool
			if m.at, m.later, missing = s.zone.Unix(m.at); missing {
				s.note(skippedHour, line)
			}
		}
		return m, true
	}
	n, rest, ok := leadingNumber(text)
	m.at = int64(n)
	return m, ok && n >= 1e8 && (len(rest) == 0 || rest[0] == '.' && len(bytes.Trim(rest[1:], "0123456789")) == 0)
}
