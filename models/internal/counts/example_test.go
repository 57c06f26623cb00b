package counts_test

import (
	"fmt"

	"github.com/partwise/partwise/models/internal/counts"
)

// A job in phase 0 moves on to phase 1, in which there are 255.
func ExampleChanged() {
	s := counts.Of(3, 255)
	moved := counts.Changed(counts.Changed(s, 0, -1), 1, 1)
	fmt.Println(counts.At(moved, 0), counts.At(moved, 1), counts.Total(moved), moved < s)
	// Output: 2 256 258 true
}
