package joblog

import (
	"fmt"
	"math/bits"
	"strconv"
)

// Sizes are the numbers of nodes of a class of jobs: From to To. To is a power of two, and From is the number after half of To.
type Sizes struct{ From, To int }

// SizesOf returns the class of the jobs of so many nodes; the class of a job without nodes is that of one node.
func SizesOf(nodes int) Sizes {
	to := 1 << bits.Len(uint(max(nodes, 1)-1))
	return Sizes{to/2 + 1, to}
}

// String returns the sizes as people write them: 5–8, or 1.
func (s Sizes) String() string {
	if s.From >= s.To {
		return strconv.Itoa(s.To)
	}
	return fmt.Sprintf("%d–%d", s.From, s.To)
}
