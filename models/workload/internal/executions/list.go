package executions

import (
	"math"

	"github.com/partwise/partwise/models/workload/internal/packed"
)

// List is the executions that a log lists, by their numbers from 0.
type List struct {
	packed.Rows[Record]
	Pieces      map[uint32][]Piece // of records of jobs whose nodes changed
	impossible  map[uint32]string  // records whose times cannot be right: why
	overlong    map[uint32]bool    // records whose elapsed time is longer than from their start to their end
	note        func(what string, line int)
	last        Key  // of the last record
	isSingle    bool // each record has a larger key than the record before it, and is of another job
	hasResizing bool // some record is of a job that went on with other nodes
}

// NewList returns a list without records. note is told what is found of several records, with the line of the first, 0 if it has
// none.
func NewList(note func(what string, line int)) List {
	return List{Rows: packed.NewRows((*Record).toNumbers, (*Record).fromNumbers), Pieces: map[uint32][]Piece{},
		impossible: map[uint32]string{}, overlong: map[uint32]bool{}, note: note, isSingle: true}
}

// Add adds a record. impossible says why its times cannot be right, and is "" of most records. isOverlong says that the elapsed
// time is longer than from the start to the end.
func (l *List) Add(r *Record, impossible string, isOverlong bool) {
	i := uint32(l.Len())
	if isOverlong {
		l.overlong[i] = true
	}
	if impossible != "" {
		l.impossible[i] = impossible
	}
	l.isSingle = l.isSingle && (i == 0 || l.last.Compare(r.Key) < 0 && !l.last.isSameJob(r.Key))
	l.hasResizing = l.hasResizing || r.State == Resizing
	l.last = r.Key
	l.Rows.Add(r)
}

// EndsWith reports whether the last record is of a job.
func (l *List) EndsWith(k Key) bool { return l.Len() > 0 && l.last == k }

// States returns the states of all records, which must be packed.
func (l *List) States() []State {
	states, cursor := make([]State, l.Len()), l.Cursor(StateOf)
	for i := range states {
		states[i] = State(cursor.At(uint32(i))[StateOf])
	}
	return states
}

// NodeSeconds returns the node-seconds that the execution of record i held, 0 if its run time is not known. The records must be
// packed.
func (l *List) NodeSeconds(i uint32) float64 {
	if pieces := l.Pieces[i]; pieces != nil {
		held, _ := heldIn(pieces)
		return held
	}
	run := l.Value(i, Run)
	if run == None {
		return 0
	}
	return float64(run) * float64(l.Value(i, Units))
}

// Piece is a part of an execution in which the job had the same nodes. After and Run are seconds: from the start of the job to
// the start of the piece, and from there to its end.
type Piece struct{ After, Run, Units uint64 }

// heldIn returns the node-seconds of pieces, and the seconds in which the job had nodes.
func heldIn(pieces []Piece) (nodeSeconds, seconds float64) {
	for _, p := range pieces {
		nodeSeconds += float64(p.Run) * float64(p.Units)
		seconds += float64(p.Run)
	}
	return nodeSeconds, seconds
}

// setPieces sets the pieces of record i, which say exactly what the job held. The nodes of the record become the mean over the
// time in which the job had nodes, rounded and at least 1.
func (l *List) setPieces(i uint32, pieces []Piece) {
	if held, had := heldIn(pieces); had > 0 {
		l.Edit(i).Units = uint32(max(1, math.Round(held/had)))
	}
	l.Pieces[i] = pieces
}
