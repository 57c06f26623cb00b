package joblog

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

// List is a number of jobs in memory, in some order. It is not modified.
type List struct {
	n  int
	at func(i int, j *Job)
}

// ListOf returns the list of the given jobs.
func ListOf(jobs []Job) *List {
	return &List{len(jobs), func(i int, j *Job) { *j = jobs[i] }}
}

// Len returns the number of jobs.
func (l *List) Len() int { return l.n }

// At writes the i-th job, counted from 0, to j.
func (l *List) At(i int, j *Job) { l.at(i, j) }

// Jobs returns a source of the jobs, from the first on.
func (l *List) Jobs() Source { return &cursor{list: l} }

// cursor is a place in a list.
type cursor struct {
	list *List
	next int
}

func (c *cursor) Next(j *Job) error {
	if c.next == c.list.n {
		return io.EOF
	}
	c.list.at(c.next, j)
	c.next++
	return nil
}

// BySubmission returns the jobs in the order of their submission; those of the same time keep their order.
func (l *List) BySubmission() *List {
	type placed struct {
		submit float64
		place  uint32
	}
	order := make([]placed, l.n)
	var j Job
	for i := range order {
		l.at(i, &j)
		order[i] = placed{j.Submit, uint32(i)}
	}
	slices.SortFunc(order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.place, b.place))
	})
	places := make([]uint32, l.n)
	for i, o := range order {
		places[i] = o.place
	}
	return &List{l.n, func(i int, j *Job) { l.at(int(places[i]), j) }}
}

// Keep reads a source to its end, and keeps its jobs in a form that takes some 30 bytes a job. It returns an *[Error] if
// there are more than most jobs; 0 is any number. Jobs that are kept already, as those of a [Reader] of most formats are,
// are not kept twice.
func Keep(ctx context.Context, in Source, most int) (*List, error) {
	if r, ok := in.(*Reader); ok {
		in = r.Source
	}
	if in == nil {
		return nil, errNoSource
	}
	if c, ok := in.(*cursor); ok && c.next == 0 {
		if most > 0 && c.list.n > most {
			return nil, tooMany(most)
		}
		return c.list, nil
	}
	if log, ok := in.(*swf); ok {
		defer log.in.Ahead()()
	}
	p := new(packed)
	err := each(Most(in, most), func(j *Job) error {
		if p.add(j); p.n%packedTogether == 0 {
			return ctx.Err()
		}
		return nil
	})
	return &List{p.n, p.at}, err
}

// packedTogether is the number of jobs of a block. It is no power of two, so that the columns of a job do not share a line
// of the processor's cache.
const packedTogether = 500

// packed are jobs in blocks, each of which stores every column of the Standard Workload Format as differences from its
// least value, in as many bytes as the largest difference takes.
type packed struct {
	n      int
	blocks []packedBlock
	last   [swfFields][packedTogether]float64 // jobs that are not in a block
}

// packedBlock holds the columns whose values differ one after the other.
type packedBlock struct {
	same    [swfFields]float64 // the values of the other columns
	columns []packedColumn
	bytes   []byte
}

// packedColumn says where and how a column stands in the bytes of its block.
type packedColumn struct {
	least int64
	mask  uint64 // of the bytes of a value
	begin uint32
	width uint8 // bytes of each value
	field uint8
	plain bool // the values are the bits of floating-point numbers
}

func (p *packed) add(j *Job) {
	k := p.n % packedTogether
	for c, x := range j.fields() {
		p.last[c][k] = x
	}
	if p.n++; k == packedTogether-1 {
		p.pack()
	}
}

// pack makes a block of the jobs that are in none.
func (p *packed) pack() {
	var b packedBlock
	var columns [swfFields]packedColumn
	size := 0
	for c := range p.last {
		values := &p.last[c]
		b.same[c] = values[0]
		first, differ, whole := math.Float64bits(values[0]), false, true
		least, most := int64(math.MaxInt64), int64(math.MinInt64)
		for _, x := range values {
			n, v := int64(x), math.Float64bits(x)
			differ = differ || v != first
			whole = whole && math.Float64bits(float64(n)) == v && -1<<53 <= n && n <= 1<<53
			least, most = min(least, n), max(most, n)
		}
		if !differ {
			continue
		}
		at := packedColumn{begin: uint32(size), width: 8, field: uint8(c), plain: true}
		if whole {
			at.least, at.width, at.plain = least, uint8((bits.Len64(uint64(most-least))+7)/8), false
		}
		at.mask = 1<<(8*at.width) - 1
		columns[len(b.columns)] = at
		b.columns = columns[:len(b.columns)+1]
		size += packedTogether * int(at.width)
	}
	b.columns = slices.Clone(b.columns)
	b.bytes = make([]byte, size+8) // of the last value, too, eight bytes can be read
	for i := range b.columns {
		at := &b.columns[i]
		for k, x := range p.last[at.field] { // in this order: what a value writes beyond its bytes, the next one overwrites
			v := math.Float64bits(x)
			if !at.plain {
				v = uint64(int64(x) - at.least)
			}
			binary.LittleEndian.PutUint64(b.bytes[int(at.begin)+k*int(at.width):], v)
		}
	}
	p.blocks = append(p.blocks, b)
}

func (p *packed) at(i int, j *Job) {
	var v [swfFields]float64
	k := i % packedTogether
	if i/packedTogether == len(p.blocks) {
		for c := range v {
			v[c] = p.last[c][k]
		}
		j.set(&v)
		return
	}
	b := &p.blocks[i/packedTogether]
	v = b.same
	for c := range b.columns {
		at := &b.columns[c]
		x := binary.LittleEndian.Uint64(b.bytes[int(at.begin)+k*int(at.width):]) & at.mask
		if at.plain {
			v[at.field] = math.Float64frombits(x)
		} else {
			v[at.field] = float64(at.least + int64(x))
		}
	}
	j.set(&v)
}

// ErrTooMany is the kind of the error of a log of more jobs than are to be kept.
var ErrTooMany = errors.New("too many jobs")

func tooMany(most int) *Error {
	return &Error{Problem: fmt.Sprintf("has more than %d jobs, which do not fit into the memory allowed", most), Err: ErrTooMany}
}
