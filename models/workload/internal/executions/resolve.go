// This file makes one record of the rows that list an execution several times. It also makes one of the pieces of a resized job,
// and of the components of a heterogeneous job.
//
// Method: records are sorted by job. Jobs with one record are done. The records of another job are taken in one by one, in the
// order of the log. Indexes by start and by submission tell whether an execution is listed already, see [timeIndex].
//
// Cost: n records of one job take n log n steps to sort their times, and 140 bytes each meanwhile. So one job may be requeued
// hundreds of thousands of times.

package executions

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload/internal/packed"
)

// The words of findings.
const (
	ListedTwice  = "rows that list an execution of a job again"
	Requeued     = "restarts of requeued jobs, each a job that was submitted when the attempt before ended"
	ReusedNumber = "jobs with the number of another job, but another user, size or submission: each is a job of its own; " +
		"the log may mix clusters"
	Resized        = "jobs that were resized while they ran: replays and --swf-output take their mean nodes, rounded"
	ComponentLines = "components of heterogeneous jobs, which are counted as one"
)

// IsResolved reports whether each record is an execution of another job, and the records are in the order of their jobs.
func (l *List) IsResolved() bool { return l.isSingle && !l.hasResizing }

// ByJob packs all records, and returns them by job and component, the records of one job in the order of the log.
func (l *List) ByJob() packed.Order {
	l.PackAll()
	return l.Sorted(packed.FirstRows(l.Len()), keyFields...)
}

// Lists reports whether a record is of a job. byJob are all records by job, see [List.ByJob]. The records must be packed.
func (l *List) Lists(byJob packed.Order, k Key) bool {
	_, isListed := sort.Find(byJob.Len(), func(at int) int {
		numbers := l.Numbers(byJob.At(at))
		return k.Compare(keyOf(&numbers))
	})
	return isListed
}

// Resolve makes one record of the rows that list an execution several times. The pieces of a job that was resized become one
// record, and so do the components of a heterogeneous job. Then it packs all records again. byJob are all records by job, see
// [List.ByJob].
func (l *List) Resolve(byJob packed.Order) {
	if l.IsResolved() {
		return
	}
	var group []member
	for _, rows := range l.unresolved(byJob) {
		group = slices.Grow(group[:0], int(rows.to-rows.from))
		for k := rows.from; k < rows.to; k++ {
			i := byJob.At(int(k))
			group = append(group, member{number: i, Record: l.Edit(i)})
		}
		if len(group) == 1 { // the log does not have what came after
			group[0].State = Running
			continue
		}
		l.resolveJob(group)
	}
	l.PackAll()
}

// span is the places from one to another, without the latter.
type span struct{ from, to uint32 }

// unresolved returns the places of the jobs with several records, or with a record of a job that was resized.
func (l *List) unresolved(byJob packed.Order) (jobs []span) {
	cursor := l.Cursor(append([]int{StateOf}, keyFields...)...)
	var job Key
	from, isResized := 0, false
	end := func(to int) {
		if to-from > 1 || isResized {
			jobs = append(jobs, span{uint32(from), uint32(to)})
		}
		from, isResized = to, false
	}
	for k := range byJob.Len() {
		row := cursor.At(byJob.At(k))
		if own := keyOf(row); k == 0 || !own.isSameJob(job) {
			end(k)
			job = own
		}
		isResized = isResized || State(row[StateOf]) == Resizing
	}
	end(byJob.Len())
	return jobs
}

// member is a record of a job, its number, and the places of its times in the indexes of the job.
type member struct {
	*Record
	number                      uint32
	startPlace, submissionPlace uint32
}

// resolveJob resolves the records with the number of one job. Rows of different users are different jobs.
func (l *List) resolveJob(group []member) {
	all := l.components(group)
	hasUnstarted := slices.ContainsFunc(group, func(r member) bool { return r.Wait == None })
	for _, x := range all {
		x.takeAll(hasUnstarted)
		x.order()
		x.joinPieces()
	}
	for _, x := range all {
		first := slices.IndexFunc(all, func(o *component) bool { return o.number == 1 && o.mayBe(x.user) })
		if x.number > 1 && first >= 0 {
			l.fold(x.list, all[first])
		}
	}
	for _, x := range all {
		x.separate()
	}
}

// component is the executions of a job, or of a component of a heterogeneous job.
type component struct {
	*List
	number       uint8
	user         uint32   // None: the log does not tell
	records      []member // in the order of the log
	list         []member // of the executions
	byStart      timeIndex
	bySubmission timeIndex
	unstarted    timeIndex // by submission: the executions whose start is not known
	hasUnstarted bool
}

// components returns the components of the jobs with the same number.
func (l *List) components(group []member) (all []*component) {
	for k, r := range group {
		at := slices.IndexFunc(all, func(x *component) bool { return x.number == r.Component && x.mayBe(r.User) })
		if at < 0 {
			if len(all) > 0 && all[len(all)-1].number == r.Component {
				l.note(ReusedNumber, int(r.Line))
			}
			at = len(all)
			all = append(all, &component{List: l, number: r.Component, user: r.User})
		}
		x := all[at]
		if x.user == None {
			x.user = r.User
		}
		if len(all) == 1 { // of most jobs: then the group is the component
			x.records = group[: k+1 : k+1]
			continue
		}
		x.records = append(x.records, r)
	}
	return all
}

// takeAll takes all records in. hasUnstarted says that some record of the job tells no start: only then executions are found by
// submission.
func (x *component) takeAll(hasUnstarted bool) {
	x.list = make([]member, 0, len(x.records))
	index, places := newTimeIndex(x.records, func(r member) uint32 { return r.start() })
	x.byStart = index
	for k := range x.records {
		x.records[k].startPlace = places[k]
	}
	if x.hasUnstarted = hasUnstarted; hasUnstarted {
		x.bySubmission, places = newTimeIndex(x.records, func(r member) uint32 { return r.Submit })
		x.unstarted = timeIndex{records: x.records, times: x.bySubmission.times, chains: slices.Clone(x.bySubmission.chains)}
		for k := range x.records {
			x.records[k].submissionPlace = places[k]
		}
	}
	for k := range x.records {
		x.take(uint32(k))
	}
}

// mayBe reports whether a user may be the user of the job, as far as the log tells.
func (x *component) mayBe(user uint32) bool { return x.user == None || user == None || x.user == user }

// take takes a record in: as a further execution, or folded into the record of the execution that the log lists already.
func (x *component) take(record uint32) {
	r := &x.records[record]
	old, isListed, disagrees := x.find(r)
	switch {
	case !isListed:
		if disagrees {
			x.note(ReusedNumber, int(r.Line))
		}
		x.list = append(x.list, *r)
		x.enter(record)
		return
	case !x.records[old].State.IsOver():
		x.replace(x.records[old], *r)
		x.records[old].startPlace = r.startPlace
		x.enter(old)
	}
	x.note(ListedTwice, int(r.Line))
	r.State = Folded
}

// agree reports whether two records with the same start, or the same submission if one of them has no start, are of one
// execution: what both tell is the same.
func (r *Record) agree(o *Record) bool {
	switch {
	case r.Submit != o.Submit:
		return false
	case r.Wait == None || o.Wait == None:
		return true
	case r.Units > 0 && o.Units > 0 && r.Units != o.Units:
		return false
	}
	return !r.State.IsOver() || !o.State.IsOver() || r.Run == o.Run
}

// enter makes a record one that find finds.
func (x *component) enter(record uint32) {
	r := &x.records[record]
	if x.hasUnstarted {
		x.bySubmission.add(r.submissionPlace, record)
	}
	if r.Wait == None {
		x.unstarted.add(r.submissionPlace, record)
	} else {
		x.byStart.add(r.startPlace, record)
	}
}

// find returns the record of the execution that another record is of: a record with the same start or, unless both have started,
// of the same submission, with which it agrees. disagrees says that there are only records with which it does not.
func (x *component) find(r *member) (old uint32, isFound, disagrees bool) {
	if r.Wait == None {
		return x.bySubmission.find(r.submissionPlace, r.Record)
	}
	if old, isFound, disagrees = x.byStart.find(r.startPlace, r.Record); isFound || !x.hasUnstarted {
		return old, isFound, disagrees
	}
	old, isFound, others := x.unstarted.find(r.submissionPlace, r.Record)
	return old, isFound, !isFound && (disagrees || others)
}

// order sorts the executions by their starts; a piece of no length stands before the piece that follows it.
func (x *component) order() {
	compare := func(a, b member) int {
		switch c := cmp.Compare(a.start(), b.start()); {
		case c != 0:
			return c
		case a.State == Resizing && b.State != Resizing:
			return -1
		case a.State != Resizing && b.State == Resizing:
			return 1
		}
		return 0
	}
	if !slices.IsSortedFunc(x.list, compare) {
		slices.SortStableFunc(x.list, compare)
	}
}

// joinPieces makes one record of the pieces of a job that was resized while it ran: a record whose state is resizing goes on in the
// next one. A job whose last piece is resizing still ran.
func (x *component) joinPieces() {
	whole := x.list[:0]
	for k := 0; k < len(x.list); {
		from := k
		for k++; k < len(x.list) && x.list[k-1].State == Resizing && x.list[k-1].isFollowedBy(x.list[k].Record); k++ {
		}
		first := x.list[from]
		if pieces := x.list[from:k]; len(pieces) > 1 {
			x.join(pieces)
		}
		if first.State == Resizing {
			first.State = Running
		}
		whole = append(whole, first)
	}
	x.list = whole
}

// isFollowedBy reports whether another record may go on where a record ends.
func (r *Record) isFollowedBy(after *Record) bool {
	return after.Wait != None && r.Run != None && after.start() >= r.start()+r.Run
}

// join makes the first record of a job that was resized the record of the whole job.
func (x *component) join(records []member) {
	first, last := records[0], records[len(records)-1]
	var pieces []Piece
	for _, r := range records {
		p := Piece{After: uint64(r.start() - first.start()), Units: uint64(r.Units)}
		if r.Run != None {
			p.Run = uint64(r.Run)
		}
		pieces = append(pieces, p)
	}
	before, cpus := first.Units, first.CPUs
	x.setPieces(first.number, pieces)
	if before > 0 {
		perNode := float64(cpus) / float64(before)
		first.CPUs = uint32(math.Round(float64(first.Units) * perNode))
	}
	first.Run = None
	if last.Run != None {
		first.Run = last.start() + last.Run - first.start()
	}
	first.State, first.Label, first.Limit = last.State, last.Label, last.Limit
	for _, r := range records[1:] {
		r.State = Folded
		delete(x.impossible, r.number)
	}
	x.note(Resized, int(first.Line))
}

// replace puts what the log tells of record by into record old.
func (l *List) replace(old, by member) {
	*old.Record = *by.Record
	if l.overlong[by.number] {
		l.overlong[old.number] = true
	}
	if what := l.impossible[by.number]; what != "" {
		l.impossible[old.number] = what
	}
}

// separate moves the submission of a restart to the end of the attempt before it, if the log gives both the same submission. An
// execution of another submission that overlaps with the attempt before it is a job of its own.
func (x *component) separate() {
	for k := 1; k < len(x.list); k++ {
		before, r := x.list[k-1], x.list[k]
		end := before.end()
		switch {
		case r.State == Folded || before.State == Folded:
		case r.Submit < end && (r.Wait != None && r.start() < end || !x.isRestart(before.Record, r.Record)):
			x.note(ReusedNumber, int(r.Line))
		default:
			x.note(Requeued, int(r.Line))
			if r.Submit >= end {
				continue
			}
			if r.Wait != None {
				r.Wait -= end - r.Submit
			}
			r.Submit = end
		}
	}
}

// slack is the number of seconds by which a restart may be submitted before the end of the attempt before it.
const slack = 60

// isRestart reports whether a record is of a further attempt of the job of another record: submitted with it, or when it ended.
func (x *component) isRestart(before, r *Record) bool {
	return r.Submit == before.Submit || r.Submit+slack >= before.end() || r.Submit == x.list[0].Submit
}
