package joblog

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// Sizes are numbers of nodes of jobs: From to To. A To of 0 is any number from From on.
type Sizes struct{ From, To int }

// SizesOf returns the class of the jobs of so many nodes; the class of a job without nodes is that of one node. To is a power
// of two, and From is the number after half of To.
func SizesOf(nodes int) Sizes {
	to := 1 << bits.Len(uint(max(nodes, 1)-1))
	return Sizes{to/2 + 1, to}
}

// ParseSizes reads sizes such as 2:64, 2:, :64 or 8.
func ParseSizes(text string) (s Sizes, err error) {
	least, most, isRange := strings.Cut(text, ":")
	if !isRange {
		most = least
	}
	for _, side := range []struct {
		text string
		to   *int
	}{{least, &s.From}, {most, &s.To}} {
		if side.text == "" {
			continue
		}
		n, ok := measure.ParseWhole(side.text)
		if !ok || n.Sign() < 1 || !n.IsInt64() || n.Int64() > math.MaxInt32 {
			return Sizes{}, fmt.Errorf("%q is not a number of nodes", side.text)
		}
		*side.to = int(n.Int64())
	}
	if s.To > 0 && s.To < s.From {
		return Sizes{}, fmt.Errorf("%q ends before it begins", text)
	}
	return s, nil
}

// Of returns the jobs that have one of the sizes, one by one. The zero value of s has all sizes. An error of reading the
// jobs is passed on.
func (s Sizes) Of(jobs Jobs) Jobs {
	if s == (Sizes{}) {
		return jobs
	}
	return func(yield func(*Job, error) bool) {
		for j, err := range jobs {
			if (err != nil || s.Has(j)) && !yield(j, err) {
				return
			}
		}
	}
}

// Has reports whether a job has one of the sizes; every job has one where s is zero.
func (s Sizes) Has(j *Job) bool {
	n := j.Nodes()
	return s == (Sizes{}) || n >= s.From && (s.To == 0 || n <= s.To)
}

// String returns the sizes as people write them: 5–8, or 1.
func (s Sizes) String() string {
	if s.From >= s.To {
		return strconv.Itoa(s.To)
	}
	return fmt.Sprintf("%d–%d", s.From, s.To)
}
