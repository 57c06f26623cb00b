package joblog

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/partwise/partwise/models/workload/internal/packed"
)

// byJob returns the records by job and component, the records of one job in the order of the log.
func (s *store) byJob() packed.Order {
	s.records.PackAll()
	return s.records.Sorted(packed.FirstRows(s.records.Len()), idField, clusterField, taskField, componentField)
}

// compare compares jobs by cluster, number, task and component.
func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.id, o.id), cmp.Compare(k.cluster, o.cluster), cmp.Compare(k.task, o.task), cmp.Compare(k.component, o.component))
}

// isSameJob reports whether two keys are of one job, perhaps of two of its components.
func (k key) isSameJob(o key) bool { return k.id == o.id && k.task == o.task && k.cluster == o.cluster }

// resolve makes one record of the rows that list an execution several times. The pieces of a job that was resized become one record, and so
// do the components of a heterogeneous job. order are all records by job, see [store.byJob].
func (s *store) resolve(order packed.Order) {
	if s.isSingle && !s.hasResizing {
		return
	}
	var group []uint32
	for from, to := 0, 0; from < order.Len(); from = to {
		first := s.records.At(order.At(from))
		group = append(group[:0], order.At(from))
		for to = from + 1; to < order.Len() && s.records.At(order.At(to)).isSameJob(first.key); to++ {
			group = append(group, order.At(to))
		}
		if len(group) > 1 {
			s.resolveJob(group)
		} else if first.state == resizing { // the log does not have what came after
			s.records.Edit(group[0]).state = running
		}
	}
}

// resolveJob resolves the records with the number of one job. Rows of different users are different jobs.
func (s *store) resolveJob(order []uint32) {
	var all []*executions
	for _, i := range order {
		r := s.records.At(i)
		at := slices.IndexFunc(all, func(x *executions) bool { return x.component == r.component && x.mayBe(r.user) })
		if at < 0 {
			if len(all) > 0 && all[len(all)-1].component == r.component {
				s.note(reusedNumber, int(r.line))
			}
			at = len(all)
			all = append(all, &executions{store: s, component: r.component, user: r.user, at: map[execution][]uint32{}})
		}
		all[at].take(i)
	}
	for _, x := range all {
		x.order()
		x.joinPieces()
	}
	for _, x := range all {
		first := slices.IndexFunc(all, func(o *executions) bool { return o.component == 1 && o.mayBe(x.user) })
		if x.component > 1 && first >= 0 {
			s.fold(x.list, all[first])
		}
	}
	for _, x := range all {
		x.separate()
	}
}

// executions are the executions of a job, or of a component.
type executions struct {
	*store
	component uint8
	user      uint32                 // none: the log does not tell
	list      []uint32               // records
	at        map[execution][]uint32 // records by when they started, and by when they were submitted
}

// execution tells the executions of a job apart: by when they started, or by when they were submitted.
type execution struct {
	at                 uint32 // Unix time
	submitted, started bool
}

// mayBe reports whether a user may be the user of the job, as far as the log tells.
func (x *executions) mayBe(user uint32) bool { return x.user == none || user == none || x.user == user }

// take takes record i in: as a further execution, or folded into the record of the execution that the log lists already.
func (x *executions) take(i uint32) {
	if x.user == none {
		x.user = x.record(i).user
	}
	r := x.record(i)
	old, listed, disagrees := x.find(r)
	switch {
	case !listed:
		if disagrees {
			x.note(reusedNumber, int(r.line))
		}
		x.list = append(x.list, i)
		x.enter(i)
		return
	case !x.record(old).state.isOver():
		x.replace(old, i)
		x.enter(old)
	}
	x.note(listedTwice, int(r.line))
	r.state = folded
}

// record returns record i.
func (x *executions) record(i uint32) *record { return x.records.Edit(i) }

// agree reports whether two records with the same start, or the same submission if one of them has no start, are of one execution: what
// both tell is the same.
func (x *executions) agree(a, b *record) bool {
	switch {
	case a.submit != b.submit:
		return false
	case a.wait == none || b.wait == none:
		return true
	case a.units > 0 && b.units > 0 && a.units != b.units:
		return false
	}
	return !a.state.isOver() || !b.state.isOver() || a.run == b.run
}

// enter makes record i one that find finds.
func (x *executions) enter(i uint32) {
	r := x.record(i)
	own := []execution{{at: r.submit, submitted: true}, {at: r.submit}}
	if r.wait != none {
		own[1] = execution{at: r.start(), started: true}
	}
	for _, e := range own {
		if same := x.at[e]; len(same) == 0 || same[len(same)-1] != i {
			x.at[e] = append(same, i)
		}
	}
}

// mostAlike bounds the executions of one start, or one submission, with which a record is compared.
const mostAlike = 32

// find returns the record of the execution that another record is of: a record with the same start or, unless both have started, of the
// same submission, with which it agrees. disagrees says that there are only records with which it does not.
func (x *executions) find(r *record) (i uint32, found, disagrees bool) {
	own := []execution{{at: r.start(), started: true}, {at: r.submit}}
	if r.wait == none {
		own = []execution{{at: r.submit, submitted: true}}
	}
	for _, e := range own {
		same := x.at[e]
		for _, i := range same[max(0, len(same)-mostAlike):] {
			if x.agree(x.record(i), r) {
				return i, true, false
			}
			disagrees = true
		}
	}
	return 0, false, disagrees
}

// order sorts the executions by their starts; a piece of no length stands before the piece that follows it.
func (x *executions) order() {
	sort.SliceStable(x.list, func(a, b int) bool {
		r, o := x.record(x.list[a]), x.record(x.list[b])
		if r.start() != o.start() {
			return r.start() < o.start()
		}
		return r.state == resizing && o.state != resizing
	})
}

// joinPieces makes one record of the pieces of a job that was resized while it ran: a record whose state is resizing goes on in the
// next one. A job whose last piece is resizing still ran.
func (x *executions) joinPieces() {
	var whole []uint32
	for k := 0; k < len(x.list); {
		from := k
		for k++; k < len(x.list) && x.record(x.list[k-1]).state == resizing && x.follows(x.list[k-1], x.list[k]); k++ {
		}
		if pieces := x.list[from:k]; len(pieces) > 1 {
			x.join(pieces)
		}
		first := x.list[from]
		if r := x.record(first); r.state == resizing {
			r.state = running
		}
		whole = append(whole, first)
	}
	x.list = whole
}

// follows reports whether a record may go on where another one ends.
func (x *executions) follows(before, after uint32) bool {
	a, b := x.record(before), x.record(after)
	return b.wait != none && a.run != none && b.start() >= a.start()+a.run
}

// join makes the first record of a job that was resized the record of the whole job.
func (x *executions) join(records []uint32) {
	first, last := x.record(records[0]), x.record(records[len(records)-1])
	var pieces []Piece
	for _, i := range records {
		r := x.record(i)
		p := Piece{After: float64(r.start() - first.start()), Nodes: int(r.units)}
		if r.run != none {
			p.Run = float64(r.run)
		}
		pieces = append(pieces, p)
	}
	before, cpus := first.units, first.cpus
	x.setPieces(records[0], pieces)
	if before > 0 {
		perNode := float64(cpus) / float64(before)
		first.cpus = uint32(math.Round(float64(first.units) * perNode))
	}
	first.run = none
	if last.run != none {
		first.run = last.start() + last.run - first.start()
	}
	first.state, first.label, first.limit = last.state, last.label, last.limit
	for _, i := range records[1:] {
		x.record(i).state = folded
		delete(x.impossible, i)
	}
	x.note(resized, int(first.line))
}

// setPieces sets the pieces of a record, which say exactly what the job held. The nodes of the record become the mean over the time in which
// the job had nodes, rounded and at least 1.
func (s *store) setPieces(i uint32, pieces []Piece) {
	had := 0.0
	for _, p := range pieces {
		had += p.Run
	}
	if had > 0 {
		s.records.Edit(i).units = uint32(max(1, math.Round(heldIn(pieces)/had)))
	}
	s.pieces[i] = pieces
}

// replace puts what the log tells of record by into record old.
func (s *store) replace(old, by uint32) {
	*s.records.Edit(old) = s.records.At(by)
	if s.overlong[by] {
		s.overlong[old] = true
	}
	if what := s.impossible[by]; what != "" {
		s.impossible[old] = what
	}
}

// fold adds the nodes of a component of a heterogeneous job to the nodes of the first component. The components of a job start together.
func (s *store) fold(component []uint32, first *executions) {
	for _, i := range component {
		r := s.records.Edit(i)
		at := first.at[execution{at: r.start(), started: true}]
		switch {
		case r.wait == none:
			at = first.at[execution{at: r.submit, submitted: true}]
		case len(at) == 0:
			at = first.startedWith(r)
		}
		if len(at) == 0 {
			continue
		}
		s.addComponent(at[0], i)
		r.state = folded
		s.note(componentLines, 0)
	}
}

// startedWith returns the execution that ran at the same time as a component and started within a minute of the component. It returns nil if
// no execution did.
func (x *executions) startedWith(r *record) []uint32 {
	for k, i := range x.list {
		o := x.record(i)
		apart := int64(o.start()) - int64(r.start())
		if o.wait != none && o.submit == r.submit && max(apart, -apart) <= slack && r.start() < o.end() && o.start() < r.end() {
			return x.list[k : k+1]
		}
	}
	return nil
}

// sumOfCounts returns the sum of two numbers of nodes or CPUs. A sum that no machine has, of 2³² − 2 or more, is 2³² − 2.
func sumOfCounts(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), none-1)) }

// addComponent adds the nodes of a component to the record of the whole job. The nodes of the job change while it runs if its components start
// or end at different times, or were resized. The record then gets pieces.
func (s *store) addComponent(whole, component uint32) {
	w, c := s.records.Edit(whole), s.records.Edit(component)
	w.cpus = sumOfCounts(w.cpus, c.cpus)
	isEven := w.wait == c.wait && w.run == c.run && s.pieces[whole] == nil && s.pieces[component] == nil
	if isEven || w.end() == 0 || c.end() == 0 {
		w.units = sumOfCounts(w.units, c.units)
		return
	}
	start, end := min(w.start(), c.start()), max(w.end(), c.end())
	pieces := sumOfPieces(later(s.piecesOf(whole), w.start()-start), later(s.piecesOf(component), c.start()-start))
	w.wait, w.run = start-w.submit, end-start
	s.setPieces(whole, pieces)
}

// later returns copies of pieces that begin the given number of seconds later.
func later(pieces []Piece, seconds uint32) []Piece {
	moved := slices.Clone(pieces)
	for i := range moved {
		moved[i].After += float64(seconds)
	}
	return moved
}

// piecesOf returns the pieces of a record. A record whose nodes did not change has one piece.
func (s *store) piecesOf(i uint32) []Piece {
	if pieces := s.pieces[i]; pieces != nil {
		return pieces
	}
	return []Piece{{Run: float64(s.records.At(i).run), Nodes: int(s.records.At(i).units)}}
}

// sumOfPieces returns the pieces of a job from the pieces of its components. Each piece lasts from one change of a component to the next
// change of any component, and has the nodes of all components.
func sumOfPieces(components ...[]Piece) (sum []Piece) {
	var times []float64
	for _, p := range slices.Concat(components...) {
		times = append(times, p.After, p.After+p.Run)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	for k := 1; k < len(times); k++ {
		next := Piece{After: times[k-1], Run: times[k] - times[k-1]}
		for _, p := range slices.Concat(components...) {
			if p.After <= times[k-1] && times[k] <= p.After+p.Run {
				next.Nodes += p.Nodes
			}
		}
		if next.Nodes > 0 {
			sum = append(sum, next)
		}
	}
	return sum
}

// separate moves the submission of a restart to the end of the attempt before it, if the log gives both the same submission. An execution
// of another submission that overlaps with the attempt before it is a job of its own.
func (x *executions) separate() {
	for k := 1; k < len(x.list); k++ {
		before, r := x.record(x.list[k-1]), x.record(x.list[k])
		end := before.end()
		switch {
		case r.state == folded || before.state == folded:
		case r.submit < end && (r.wait != none && r.start() < end || !x.isRestart(before, r)):
			x.note(reusedNumber, int(r.line))
		default:
			x.note(requeued, int(r.line))
			if r.submit >= end {
				continue
			}
			if r.wait != none {
				r.wait -= end - r.submit
			}
			r.submit = end
		}
	}
}

// slack is the number of seconds by which a restart may be submitted before the end of the attempt before it.
const slack = 60

// isRestart reports whether a record is of a further attempt of the job of another record: submitted with it, or when it ended.
func (x *executions) isRestart(before, r *record) bool {
	return r.submit == before.submit || r.submit+slack >= before.end() || r.submit == x.record(x.list[0]).submit
}

// countSteps counts the steps of which the log does not list the job.
func (s *store) countSteps(order packed.Order) {
	var lines []int
	for k, line := range s.unresolved {
		if _, listed := sort.Find(order.Len(), func(at int) int { return k.compare(s.records.At(order.At(at)).key) }); !listed {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		s.lose(orphanedSteps, line, nil)
	}
}
