package packed_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload/internal/packed"
	_ "github.com/partwise/partwise/testdata/phtest"
)

// row is a row of all kinds of columns.
type row packed.Numbers

func newRows() packed.Rows[row] {
	toNumbers := func(r *row, n *packed.Numbers) { *n = packed.Numbers(*r) }
	return packed.NewRows(toNumbers, func(r *row, n *packed.Numbers) { *r = row(*n) })
}

// drawRows draws rows of columns from 0 to 4 bytes wide, some with numbers that are not told.
func drawRows(t *rapid.T) []row {
	var most [packed.MostFields]uint32
	for c := range most {
		most[c] = rapid.SampledFrom([]uint32{0, 1, 255, 256, 65535, 65536, 1 << 24, math.MaxUint32 - 1}).Draw(t, "largest number")
	}
	seed := rapid.Uint32().Draw(t, "seed")
	rows := make([]row, rapid.IntRange(1, 1700).Draw(t, "rows"))
	for i := range rows {
		for c := range rows[i] {
			seed = seed*1664525 + 1013904223
			rows[i][c] = uint32(uint64(seed) * uint64(most[c]) >> 32)
			if most[c]%2 == 0 && seed%7 == 0 {
				rows[i][c] = math.MaxUint32
			}
		}
	}
	return rows
}

// Rows are read as they were added or edited last: one by one, by a cursor, and by field.
func TestRowsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawRows(t)
		rows := newRows()
		for i := range want {
			rows.Add(&want[i])
		}
		for range rapid.IntRange(0, 20).Draw(t, "edits") {
			i := rapid.IntRange(0, len(want)-1).Draw(t, "row")
			rows.Edit(uint32(i))[3]++
			want[i][3]++
		}
		rows.PackAll()
		cursor, some := rows.Cursor(), rows.Cursor(2, 7)
		for k := range 2 * len(want) {
			i := k % len(want)
			if k >= len(want) {
				i = k * 7919 % len(want)
			}
			if got := row(*cursor.At(uint32(i))); got != want[i] || row(rows.Numbers(uint32(i))) != want[i] || rows.Value(uint32(i), 5) != want[i][5] {
				t.Fatalf("row %d of %d is %v, want %v", i, len(want), got, want[i])
			}
			if got := some.At(uint32(i)); got[2] != want[i][2] || got[7] != want[i][7] {
				t.Fatalf("fields 2 and 7 of row %d of %d are %v, want %v", i, len(want), got, want[i])
			}
		}
	})
}

// Rows are sorted by several fields; rows with the same fields keep their order.
func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawRows(t)
		rows := newRows()
		for i := range want {
			rows.Add(&want[i])
		}
		rows.PackAll()
		isKept := func(i uint32) bool { return i%3 != 1 }
		kept := packed.FirstRows(len(want)).Where(isKept)
		order := slices.Collect(kept.All())
		slices.SortStableFunc(order, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(want[a][0], want[b][0]), cmp.Compare(want[a][2], want[b][2]))
		})
		if sorted := rows.Sorted(kept, 0, 2); !slices.Equal(slices.Collect(sorted.All()), order) {
			t.Fatalf("%d rows are not sorted by two fields", len(order))
		}
	})
}
