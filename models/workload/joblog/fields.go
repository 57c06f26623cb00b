package joblog

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/pbs"
	"github.com/partwise/partwise/models/workload/internal/slurm"
)

// role is what a field of a log tells.
type role int

const (
	jobID role = iota
	jobIDRaw
	clusterName
	user
	group
	account // counts before the group
	queue
	qos
	submitTime
	queuedTime // where there is no time of submission
	eligibleTime
	startTime
	endTime
	elapsedRaw // seconds
	elapsed    // as clocks show it
	limitRaw   // minutes
	timeLimit  // as clocks show it
	stateName
	hostList // where the job ran, with its processors there
	vnodes   // where the job ran, with its CPUs and GPUs there
	gpuList  // where the job ran, with its GPUs there
	nodeList // names of the nodes where the job ran
	allocNodes
	nodeCount // allocated, or requested while the job waits
	reqNodes
	allocCPUs
	slots
	processors // asked for, wherever they are
	cpuCount
	reqCPUs
	allocGPUs
	allocTRES
	reqTRES
	selected // parts of the machine that a job asked for
	nodesAsked
	elements        // processing elements on a Cray
	elementsPerNode // of a Cray
	elementDepth    // CPUs of a processing element
	elementNodes    // nodes of a Cray
	freeText        // that users write: it may hold separators
	roles           // the number of roles
)

// fields are what a log says of one execution of a job, by role; nil: nothing.
type fields [roles][]byte

// layout describes a format whose lines or objects are read as fields.
type layout struct {
	roles map[string]role // by the names of columns, in lower case, or of attributes
	// state reads how far a job came, and how the log calls it; "" if the log has no names for it. A log without a field for it
	// tells by the times.
	state   func(text []byte) (s executions.State, label string, ok bool)
	seconds bool // a duration may be a number of seconds
	// mostCPUs says that the fields which tell the CPUs of a job may disagree, and that the largest number counts.
	mostCPUs bool
	columns  string // of a table: the columns that its first line names, for an error
	written  string // of a table: the command that writes all columns that matter, for an error; "" if no command is known
}

// sizeField is a field that tells how much of the machine a job had, or asked for: in one unit or, by a list, in all units.
type sizeField struct {
	role      role
	unit      Unit                                            // "": all units
	allocated bool                                            // and not asked for
	compared  bool                                            // of a job that has ended, the field gives what the job had, in Slurm
	count     func(text []byte) (n uint32, ok bool)           // in one unit
	list      func(text []byte) (in [len(units)]slurm.Amount) // in all units
}

// sizeFields are all size fields. For each unit, the first field with a number above 0 counts.
var sizeFields = []sizeField{
	{role: hostList, allocated: true, list: inPBS(pbs.Hosts)}, {role: vnodes, allocated: true, list: inPBS(pbs.Vnodes)},
	{role: gpuList, unit: InGPUs, allocated: true, count: pbs.Places},
	{role: allocNodes, unit: InNodes, allocated: true, compared: true, count: logtext.Count},
	{role: nodeCount, unit: InNodes, compared: true, count: logtext.Count}, {role: reqNodes, unit: InNodes, count: logtext.Count},
	{role: allocCPUs, unit: InCPUs, allocated: true, compared: true, count: logtext.Count},
	{role: slots, unit: InCPUs, allocated: true, count: logtext.Count}, {role: cpuCount, unit: InCPUs, compared: true, count: logtext.Count},
	{role: reqCPUs, unit: InCPUs, count: logtext.Count}, {role: allocGPUs, unit: InGPUs, allocated: true, count: logtext.Count},
	{role: allocTRES, allocated: true, compared: true, list: slurm.ParseTRES}, {role: reqTRES, list: slurm.ParseTRES},
	{role: selected, allocated: true, list: inPBS(pbs.Chunks)}, {role: nodesAsked, allocated: true, list: inPBS(pbs.Chunks)},
}

// inPBS converts a function of package pbs to a list function of a [sizeField]: amounts of nodes, CPUs and GPUs, in this order.
func inPBS(read func(text []byte) pbs.Amounts) func(text []byte) [len(units)]slurm.Amount {
	return func(text []byte) [len(units)]slurm.Amount {
		a := read(text)
		return [...]slurm.Amount{slurm.AmountOf(a.Nodes), slurm.AmountOf(a.CPUs), slurm.AmountOf(a.GPUs)}
	}
}

// amounts returns the number of each unit that the field gives, and 0 for a unit that the field does not give.
func (c *sizeField) amounts(text []byte) (in [len(units)]slurm.Amount) {
	if c.list != nil {
		return c.list(text)
	}
	n, ok := c.count(text)
	in[slices.Index(units[:], c.unit)] = slurm.Amount{N: n, Unreadable: !ok}
	return in
}

// fieldReader reads executions of jobs from the fields of lines, and counts findings. It keeps nothing else of a line. Several
// readers, each with a zone of its own, may therefore read different lines of a log at the same time.
type fieldReader struct {
	findings
	*layout
	called     [roles]string // the names of the fields in the log; "": the log lacks the field
	sizeFields []sizeField   // the fields of [sizeFields] that the log has, in the same order; nil: not yet set
	options    Options
	zone       *logtext.Zone
}

// note counts a finding in a line that gave a job.
func (r *fieldReader) note(what string, line int) { r.findings.add(what, line, nil, false) }

// noteText counts a finding as note does, and keeps the text of the first one.
func (r *fieldReader) noteText(what string, line int, text []byte) {
	r.findings.add(what, line, text, false)
}

// readFields sets the entry from the fields of a line. The key and the number of the line must be set before. It returns the first
// problem for which the line gives no job. An unreadable field that is not needed costs the job nothing but the field.
func (r *fieldReader) readFields(f *fields, e *entry) (first problem) {
	if r.sizeFields == nil {
		r.sizeFields = slices.DeleteFunc(slices.Clone(sizeFields), func(c sizeField) bool { return r.called[c.role] == "" })
	}
	e.user, e.group, e.queue, e.qos = f[user], f[group], f[queue], f[qos]
	if len(f[account]) > 0 {
		e.group = f[account]
	}
	if e.nodes = f[nodeList]; logtext.IsUnknown(e.nodes) {
		e.nodes = nil
	}
	first = r.times(f, e)
	for _, read := range readers {
		if p := read(r, f, e); first.what == "" {
			first = p
		}
	}
	return first
}

// readers read the fields of a line other than its times.
var readers = [...]func(*fieldReader, *fields, *entry) problem{(*fieldReader).durations, (*fieldReader).stateOf, (*fieldReader).sizes}

// take reads an entry from the fields of a line, and adds it to the store or counts the problem with the fields. The key and the
// number of the line must be set before.
func (s *store) take(f *fields, e *entry) { s.takeRead(e, s.readFields(f, e)) }

// takeRead adds an entry that [fieldReader.readFields] has read, or counts the problem with its fields.
func (s *store) takeRead(e *entry, p problem) {
	if p.what != "" {
		s.loseEntry(p.what, e, p.text)
		return
	}
	s.add(e)
}

// problem is what is wrong with a line, and the text that shows it. The words are the same for all lines. The zero value is no
// problem.
type problem struct {
	what string
	text []byte
}

// times reads when a job was submitted, was eligible to start, started and ended.
func (r *fieldReader) times(f *fields, e *entry) (first problem) {
	submit := submitTime
	if f[submit] == nil && f[queuedTime] != nil {
		submit = queuedTime
	}
	for _, want := range [...]struct {
		role role
		to   *moment
	}{{submit, &e.submit}, {startTime, &e.start}, {endTime, &e.end}} {
		var ok bool
		if *want.to, ok = r.moment(f[want.role], e.line); !ok && first.what == "" {
			first = problem{"an unreadable time in " + r.called[want.role], f[want.role]}
		}
	}
	e.eligible = moment{}
	if len(f[eligibleTime]) > 0 {
		var ok bool
		if bytes.Equal(f[eligibleTime], f[submit]) {
			e.eligible = e.submit
		} else if e.eligible, ok = r.moment(f[eligibleTime], e.line); !ok {
			e.eligible = moment{}
			r.noteText("jobs with an unreadable time in "+r.called[eligibleTime]+", taken for eligible at once", e.line, f[eligibleTime])
		}
	}
	return first
}

// durations reads the elapsed time and the time limit: in seconds and minutes, or as clocks show them. Neither is needed: the elapsed
// time not where the start and the end are known.
func (r *fieldReader) durations(f *fields, e *entry) (first problem) {
	e.elapsed, e.limit = math.NaN(), math.NaN()
	for _, want := range [...]struct {
		role role
		unit float64 // of a number; 0: a number is not understood
		to   *float64
	}{{elapsed, 0, &e.elapsed}, {elapsedRaw, 1, &e.elapsed}, {timeLimit, 0, &e.limit}, {limitRaw, 60, &e.limit}} {
		text := f[want.role]
		if logtext.IsUnknown(text) || want.to == &e.limit && logtext.IsUnlimited(text) {
			continue
		}
		if r.seconds {
			want.unit = 1
		}
		x, ok := logtext.ClockOrNumber(text, want.unit)
		switch {
		case ok:
			*want.to = x
		case want.to == &e.limit:
			r.noteText("jobs with an unreadable duration in "+r.called[want.role]+", which have no estimate", e.line, text)
		case e.start.known && e.end.known:
			r.noteText("jobs with an unreadable duration in "+r.called[want.role]+", whose start and end tell their run time", e.line, text)
		case first.what == "":
			first = problem{"an unreadable duration in " + r.called[want.role], text}
		}
	}
	return first
}

// stateOf reads how far a job came.
func (r *fieldReader) stateOf(f *fields, e *entry) problem {
	e.state, e.label = executions.Unknown, ""
	switch text, ok := f[stateName], true; {
	case text != nil:
		if e.state, e.label, ok = r.state(text); !ok {
			return problem{"an unknown state", text}
		}
	case !e.end.known && r.called[endTime] != "":
		e.state = executions.Running
		if !e.start.known {
			e.state = executions.Pending
		}
	}
	return problem{}
}

// noNodesAssigned is the list of nodes that Slurm writes for a job that never started.
const noNodesAssigned = "None assigned"

// rounded matches a number, also one in a list of resources, that sacct rounds without --noconvert, such as 1.46K.
var rounded = regexp.MustCompile(`(^|\b(node|cpu|gpu[^=,]*)=)[0-9.]+[KMGT](,|$)`)

// sizes reads how much of the machine a job had, or asked for while it had none. It also sees whether a job that was cancelled had
// started: Slurm may list such a job as started when it was cancelled, on no nodes.
func (r *fieldReader) sizes(f *fields, e *entry) (first problem) {
	var allocated, other [len(units)]uint32
	told := false
	var had comparedSizes
	for i := range r.sizeFields {
		c := &r.sizeFields[i]
		to := &other
		if c.allocated {
			to = &allocated
		}
		for k, in := range c.amounts(f[c.role]) {
			if c.compared && units[k] == r.options.Unit && in.N > 0 {
				had.add(c.role, in.N)
			}
			if c.unit != "" && c.unit != units[k] || to[k] > 0 {
				continue
			}
			if in.Unreadable && units[k] == r.options.Unit {
				first = problem{"an unreadable number in " + r.called[c.role], f[c.role]}
				if rounded.Match(f[c.role]) && !r.mostCPUs { // the log comes from sacct, not from PBS
					first.what += "; sacct --noconvert does not round"
				}
				continue
			}
			to[k] = in.N
			told = told || c.allocated
		}
	}
	if r.mostCPUs {
		allocated[atCPUs] = r.largestCPUs(f, e.line)
	}
	k := slices.Index(units[:], r.options.Unit)
	if e.units = allocated[k]; e.units == 0 && !(r.options.Unit == InGPUs && e.state.IsOver()) {
		e.units = other[k]
	}
	e.cpus = 0
	if r.options.Unit == InNodes {
		e.cpus = max(allocated[atCPUs], other[atCPUs])
	}
	onNothing := e.state == executions.Cancelled && told && allocated == [len(units)]uint32{}
	nowhere := e.state.IsOver() && e.state != executions.Completed && string(f[nodeList]) == noNodesAssigned
	unlisted := r.isUnlisted(e)
	if unlisted {
		r.note(maybeUnstarted, e.line)
	}
	if (onNothing || nowhere) && !e.ran() || unlisted {
		e.start.known, e.elapsed = false, 0
	}
	if had.disagree && !r.mostCPUs && e.state.IsOver() && e.ran() {
		r.note(r.differentSizes(&had, e.units), e.line)
	}
	if e.units > 0 {
		return problem{} // another field tells it
	}
	return first
}

// isUnlisted reports whether a job was cancelled after 0 s, in a table of sacct that does not list where jobs ran. Slurm writes such a
// line for each job that is cancelled in the queue. Its NNodes and AllocTRES are then what the job asked for.
func (r *fieldReader) isUnlisted(e *entry) bool {
	if e.state != executions.Cancelled || !e.start.known || r.layout != sacctColumns || r.called[nodeList]+r.called[allocNodes] != "" {
		return false
	}
	run, problem := e.run()
	return problem == "" && seconds(run) == 0
}

// comparedSizes are the sizes that compared fields give a job, in the unit of allocation.
type comparedSizes struct {
	first, second   role // the first field, and the first field that disagrees with it
	n               uint32
	known, disagree bool
}

// add takes in the size that a field gives.
func (c *comparedSizes) add(from role, n uint32) {
	switch {
	case !c.known:
		c.first, c.n, c.known = from, n, true
	case n != c.n && !c.disagree:
		c.second, c.disagree = from, true
	}
}

// unitWords are the units in words.
var unitWords = map[Unit]string{InNodes: "nodes", InCPUs: "CPUs", InGPUs: "GPUs"}

// differentSizes says that fields give a job different sizes, and which field counts.
func (r *fieldReader) differentSizes(c *comparedSizes, counted uint32) string {
	counts := c.first
	if counted != c.n {
		counts = c.second
	}
	name := func(of role) string { return strings.TrimPrefix(r.called[of], "column ") }
	return fmt.Sprintf("jobs whose fields %s and %s give different numbers of %s: %s counts", name(c.first), name(c.second),
		unitWords[r.options.Unit], name(counts))
}

// cpuFields are the fields of PBS and Torque that give the CPUs of a job, and their names in findings.
var cpuFields = []struct {
	role role
	name string
	list func(text []byte) pbs.Amounts // nil: the field is a number
}{
	{slots, "total_execution_slots", nil}, {hostList, "exec_host", pbs.Hosts}, {vnodes, "exec_vnode", pbs.Vnodes},
	{nodesAsked, "nodes × ppn", pbs.Chunks}, {selected, "select", pbs.Chunks}, {processors, "procs", nil}, {allocCPUs, "ncpus", nil},
}

// largestCPUs returns the largest number of CPUs in any field: smaller numbers are defaults, or the CPUs that the job asked for. It
// counts the jobs whose fields disagree, by the field with the largest number.
func (r *fieldReader) largestCPUs(f *fields, line int) (most uint32) {
	winner, least := "", uint32(none)
	for _, c := range cpuFields {
		if len(f[c.role]) == 0 {
			continue
		}
		n, _ := logtext.Count(f[c.role])
		if c.list != nil {
			n = slurm.AmountOf(c.list(f[c.role]).CPUs).N
		}
		if n == 0 {
			continue
		}
		least = min(least, n)
		if n > most {
			most, winner = n, c.name
		}
	}
	if r.options.Unit == InCPUs && least < most {
		r.note("jobs whose fields give different numbers of CPUs; the largest counts: the number in "+winner, line)
	}
	return most
}

// moment reads a time: ISO 8601, on the clocks of the log's zone unless it names another, or seconds since 1970. A time of 0 seconds
// counts as no time in both forms.
func (r *fieldReader) moment(text []byte, line int) (m moment, ok bool) {
	if logtext.IsUnknown(text) || string(text) == "0" {
		return m, true
	}
	m.known = true
	if t, zoned, ok := logtext.ParseStamp(text); ok {
		if m.at = t.Unix(); !zoned {
			var missing bool
			if m.at, m.later, missing = r.zone.Unix(m.at); missing {
				r.note(skippedHour, line)
			}
		}
		m.known = m.at != 0
		return m, true
	}
	n, rest, ok := logtext.LeadingNumber(text)
	m.at = int64(n)
	return m, ok && n >= 1e8 && (len(rest) == 0 || rest[0] == '.' && len(bytes.Trim(rest[1:], "0123456789")) == 0)
}
