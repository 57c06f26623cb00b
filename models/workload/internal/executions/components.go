package executions

import "slices"

// fold adds the nodes of a component of a heterogeneous job to the nodes of the first component. The components of a job start
// together.
func (l *List) fold(parts []member, first *component) {
	for _, r := range parts {
		whole, isKnown := first.byStart.first(r.start())
		switch {
		case r.Wait == None:
			whole, isKnown = first.bySubmission.first(r.Submit)
		case !isKnown:
			whole, isKnown = first.startedWith(r.Record)
		}
		if !isKnown {
			continue
		}
		l.addComponent(whole, r)
		r.State = Folded
		l.note(ComponentLines, 0)
	}
}

// startedWith returns the execution that ran at the same time as a component and started within a minute of the component.
// isKnown is false if no execution did.
func (x *component) startedWith(r *Record) (whole member, isKnown bool) {
	for _, o := range x.list {
		apart := int64(o.start()) - int64(r.start())
		if o.Wait != None && o.Submit == r.Submit && max(apart, -apart) <= slack && r.start() < o.end() && o.start() < r.end() {
			return o, true
		}
	}
	return member{}, false
}

// sumOfCounts returns the sum of two numbers of nodes or CPUs. A sum that no machine has, of 2³² − 2 or more, is 2³² − 2.
func sumOfCounts(a, b uint32) uint32 { return uint32(min(uint64(a)+uint64(b), None-1)) }

// addComponent adds the nodes of a component to the record of the whole job. The nodes of the job change while it runs if its
// components start or end at different times, or were resized. The record then gets pieces.
func (l *List) addComponent(whole, part member) {
	whole.CPUs = sumOfCounts(whole.CPUs, part.CPUs)
	isEven := whole.Wait == part.Wait && whole.Run == part.Run && l.Pieces[whole.number] == nil && l.Pieces[part.number] == nil
	if isEven || whole.end() == 0 || part.end() == 0 {
		whole.Units = sumOfCounts(whole.Units, part.Units)
		return
	}
	start, end := min(whole.start(), part.start()), max(whole.end(), part.end())
	pieces := sumOfPieces(later(l.piecesOf(whole), whole.start()-start), later(l.piecesOf(part), part.start()-start))
	whole.Wait, whole.Run = start-whole.Submit, end-start
	l.setPieces(whole.number, pieces)
}

// later returns copies of pieces that begin the given number of seconds later.
func later(pieces []Piece, seconds uint32) []Piece {
	moved := slices.Clone(pieces)
	for i := range moved {
		moved[i].After += uint64(seconds)
	}
	return moved
}

// piecesOf returns the pieces of a record. A record whose nodes did not change has one piece.
func (l *List) piecesOf(r member) []Piece {
	if pieces := l.Pieces[r.number]; pieces != nil {
		return pieces
	}
	return []Piece{{Run: uint64(r.Run), Units: uint64(r.Units)}}
}

// sumOfPieces returns the pieces of a job from the pieces of its components. Each piece lasts from one change of a component to
// the next change of any component, and has the nodes of all components.
func sumOfPieces(components ...[]Piece) (sum []Piece) {
	var times []uint64
	for _, p := range slices.Concat(components...) {
		times = append(times, p.After, p.After+p.Run)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	for k := 1; k < len(times); k++ {
		next := Piece{After: times[k-1], Run: times[k] - times[k-1]}
		for _, p := range slices.Concat(components...) {
			if p.After <= times[k-1] && times[k] <= p.After+p.Run {
				next.Units += p.Units
			}
		}
		if next.Units > 0 {
			sum = append(sum, next)
		}
	}
	return sum
}
