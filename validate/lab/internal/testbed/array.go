package testbed

import (
	"encoding/binary"
	"fmt"
)

// elementSize is the size of an element of an array, in bytes.
const elementSize = 8

// block returns the elements of an array that the process of a rank has, of so many.
func block(elements, rank, ranks int) (from, to int) {
	return elements * rank / ranks, elements * (rank + 1) / ranks
}

// parcels returns the parcels that a process sends when the array is divided anew. The process has the given rank among the
// processes before; after holds the addresses of the processes afterwards. A process sends to itself what it keeps.
func parcels(elements, rank, before int, after []string) (all []parcel) {
	from, end := block(elements, rank, before)
	for r, address := range after {
		a, b := block(elements, r, len(after))
		if p := (parcel{address, max(a, from), min(b, end)}); p.From < p.End {
			all = append(all, p)
		}
	}
	return all
}

// advance adds one to each element: what is left of an array after so many phases can be told from its elements.
func advance(data []byte) {
	for i := 0; i < len(data); i += elementSize {
		e := data[i : i+elementSize]
		binary.LittleEndian.PutUint64(e, binary.LittleEndian.Uint64(e)+1)
	}
}

// checkArray checks that all elements of a part of an array are there and have been through so many phases.
func checkArray(data []byte, elements, phases int) error {
	if len(data) != elements*elementSize {
		return fmt.Errorf("%d of %d elements are there", len(data)/elementSize, elements)
	}
	for i := 0; i < len(data); i += elementSize {
		if x := binary.LittleEndian.Uint64(data[i:]); x != uint64(phases) {
			return fmt.Errorf("element %d has been through %d phases, the job through %d", i/elementSize, x, phases)
		}
	}
	return nil
}
