// This file keeps rows of numbers in few bytes.
//
// Method: rows are added to an open block. A full block is packed: each field is a column of numbers of 0 to 4 bytes, as few as the
// difference between its largest and its smallest number in the block needs. Neighbouring jobs have similar numbers, times and lines.
// Most logs leave several fields empty, and an empty field takes no bytes. A block with a row that changes is unpacked until all
// blocks are packed again.
//
// Cost: 12 to 20 bytes for the row of a job in place of 68, 10 ns to read a row in order, and 25 ns in another order.

package packed

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// MostFields is the number of fields that a row has at most.
const MostFields = 20

// Numbers are the fields of a row. Fields that a row does not use are 0. The number 2³² − 1 often stands for an unknown field; it
// is packed as the number before 0.
type Numbers [MostFields]uint32

// rowsOfBlock is the number of rows of a block, a multiple of [rowsOfGroup]. An open block of rows of up to 85 bytes takes less than
// 32 KB: Go allocates larger objects one by one, which takes 5 % more time to read a log whose rows are all edited.
const rowsOfBlock = 384

// Rows are rows by their numbers, from 0.
type Rows[R any] struct {
	toNumbers   func(*R, *Numbers)
	fromNumbers func(*R, *Numbers)
	n           int
	blocks      []rowBlock[R]
	current     *[rowsOfBlock]Numbers // the numbers of a block, while it is packed or unpacked
}

// rowBlock is rows one after another: open, or packed.
type rowBlock[R any] struct {
	open   *[rowsOfBlock]R // nil: packed
	packed packedRows
}

// packedRows are the fields of the rows of a block. A field that is the same number in all rows is no column.
type packedRows struct {
	same    Numbers // of a column: what is added to its numbers, modulo 2³²
	columns []rowColumn
	text    []byte // of all columns
}

// rowColumn is a field whose number in row k is in width bytes at from + k·width.
type rowColumn struct{ field, from, width, mask uint32 }

// NewRows returns an empty list of rows. toNumbers sets numbers to those of a row, and leaves numbers that a row does not use as
// they are. fromNumbers makes the row the row with the given numbers. Both write in place: to return a row or its numbers, they
// would copy them twice.
func NewRows[R any](toNumbers, fromNumbers func(*R, *Numbers)) Rows[R] {
	return Rows[R]{toNumbers: toNumbers, fromNumbers: fromNumbers, current: new([rowsOfBlock]Numbers)}
}

// Len returns the number of rows.
func (s *Rows[R]) Len() int { return s.n }

// Add appends a row. The block before is packed when a block begins, and its place is used again.
func (s *Rows[R]) Add(r *R) {
	k := s.n % rowsOfBlock
	if k == 0 {
		var open *[rowsOfBlock]R
		if b := len(s.blocks) - 1; b >= 0 && s.blocks[b].open != nil {
			open = s.blocks[b].open
			s.pack(&s.blocks[b])
		} else {
			open = new([rowsOfBlock]R)
		}
		s.blocks = append(s.blocks, rowBlock[R]{open: open})
	}
	s.blocks[len(s.blocks)-1].open[k] = *r
	s.n++
}

// Edit returns the place of row i, which may be changed until [Rows.PackAll] is called.
func (s *Rows[R]) Edit(i uint32) *R {
	b, k := &s.blocks[i/rowsOfBlock], i%rowsOfBlock
	if b.open == nil {
		s.unpack(b)
	}
	return &b.open[k]
}

// unpack opens a packed block.
func (s *Rows[R]) unpack(b *rowBlock[R]) {
	b.open = new([rowsOfBlock]R)
	for from := 0; from < rowsOfBlock; from += rowsOfGroup {
		group := (*[rowsOfGroup]Numbers)(s.current[from:])
		b.packed.unpack(group, uint32(from), math.MaxUint32)
		for k := range group {
			s.fromNumbers(&b.open[from+k], &group[k])
		}
	}
	b.packed = packedRows{}
}

// PackAll packs all rows. Only then [Rows.Numbers], [Rows.Value] and cursors can read them.
func (s *Rows[R]) PackAll() {
	for b := range s.blocks {
		if s.blocks[b].open != nil {
			s.pack(&s.blocks[b])
		}
	}
}

// Numbers returns the numbers of row i.
func (s *Rows[R]) Numbers(i uint32) Numbers {
	return s.blocks[i/rowsOfBlock].packed.numbers(i % rowsOfBlock)
}

// Value returns a field of row i.
func (s *Rows[R]) Value(i uint32, field int) uint32 {
	p, k := &s.blocks[i/rowsOfBlock].packed, i%rowsOfBlock
	for c := range p.columns {
		if column := &p.columns[c]; column.field == uint32(field) {
			return p.same[field] + column.number(p.text, k)
		}
	}
	return p.same[field]
}

// pack packs an open block. Places behind the last row are packed, too. Numbers are counted from 2³² − 1 on, as described at
// [Numbers].
func (s *Rows[R]) pack(b *rowBlock[R]) {
	var least, most Numbers
	for c := range least {
		least[c] = math.MaxUint32
	}
	all := s.current
	for k := range b.open {
		s.toNumbers(&b.open[k], &all[k])
		for c, x := range &all[k] {
			least[c], most[c] = min(least[c], x+1), max(most[c], x+1)
		}
	}
	p, size := packedRows{}, uint32(0)
	for c := range least {
		p.same[c] = least[c] - 1
		if width := uint32(bits.Len32(most[c]-least[c])+7) / 8; width > 0 {
			p.columns = append(p.columns, rowColumn{uint32(c), size, width, uint32(uint64(1)<<(8*width) - 1)})
			size += width * rowsOfBlock
		}
	}
	p.columns = slices.Clip(p.columns)
	p.text = make([]byte, size+longestNumber)
	for _, c := range p.columns {
		base, text := p.same[c.field], p.text[c.from:]
		for k := range all {
			// The bytes behind the number belong to the next number, which is written later.
			binary.LittleEndian.PutUint32(text[uint32(k)*c.width:], all[k][c.field]-base)
		}
	}
	b.open, b.packed = nil, p
}

// longestNumber is the number of bytes of the widest column. The last number of a narrow column is read with bytes behind it.
const longestNumber = 4

// number returns the number of row k in a column.
func (c *rowColumn) number(text []byte, k uint32) uint32 {
	return binary.LittleEndian.Uint32(text[c.from+k*c.width:]) & c.mask
}

// numbers returns the numbers of row k of the block.
func (p *packedRows) numbers(k uint32) Numbers {
	v := p.same
	for c := range p.columns {
		column := &p.columns[c]
		v[column.field] += column.number(p.text, k)
	}
	return v
}

// Cursor reads packed rows. It unpacks a group of rows from which rows are read one after another: this halves the time for each row.
type Cursor[R any] struct {
	rows     *Rows[R]
	fields   uint32 // that are unpacked: bit f stands for field f
	group    int    // that is unpacked; −1: none
	last     int    // the group of the last row that was read
	inLast   int    // rows that were read from this group, one after another
	one      Numbers
	unpacked [rowsOfGroup]Numbers
}

// rowsOfGroup is the number of rows of a block that are unpacked at a time: they stay in the nearest cache.
const rowsOfGroup = 128

// fewInGroup is the number of rows of one group, read one after another, behind which the group is unpacked.
const fewInGroup = 4

// Cursor returns a cursor over the given fields of the rows, or over all fields if none is given.
func (s *Rows[R]) Cursor(fields ...int) *Cursor[R] {
	c := &Cursor[R]{rows: s, group: -1}
	for _, f := range fields {
		c.fields |= 1 << f
	}
	if len(fields) == 0 {
		c.fields = math.MaxUint32
	}
	return c
}

// At returns the numbers of row i, until the next call. Fields that were not given to [Rows.Cursor] may have any number.
func (c *Cursor[R]) At(i uint32) *Numbers {
	group, k := int(i/rowsOfGroup), i%rowsOfGroup
	if group == c.group {
		return &c.unpacked[k]
	}
	if group != c.last {
		c.last, c.inLast = group, 0
	}
	p, inBlock := &c.rows.blocks[i/rowsOfBlock].packed, i%rowsOfBlock
	if c.inLast++; c.inLast > fewInGroup {
		p.unpack(&c.unpacked, inBlock-k, c.fields)
		c.group = group
		return &c.unpacked[k]
	}
	c.one = p.numbers(inBlock)
	return &c.one
}

// unpack sets v to the numbers of the rows of the block from one row on. Bit f of fields says that field f is needed.
func (p *packedRows) unpack(v *[rowsOfGroup]Numbers, from uint32, fields uint32) {
	for k := range v {
		v[k] = p.same
	}
	for _, c := range p.columns {
		if fields>>c.field&1 == 0 {
			continue
		}
		base, text := p.same[c.field], p.text[c.from+from*c.width:]
		switch c.width {
		case 1:
			for k := range v {
				v[k][c.field] = base + uint32(text[k])
			}
		case 2:
			for k := range v {
				v[k][c.field] = base + uint32(binary.LittleEndian.Uint16(text[2*k:]))
			}
		default:
			for k := range v {
				v[k][c.field] = base + binary.LittleEndian.Uint32(text[uint32(k)*c.width:])&c.mask
			}
		}
	}
}
