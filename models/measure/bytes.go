package measure

import (
	"math"
	"strconv"
	"strings"
)

// The sizes that [ParseBytes] reads, in bytes.
const (
	leastBytes = 1 << 20
	mostBytes  = 1 << 60
)

// ParseBytes reads a size of memory such as 512MiB or 1.5GiB, and returns it in bytes; ok is false for any other text, and for
// less than 1 MiB.
func ParseBytes(text string) (bytes int64, ok bool) {
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		number, ends := strings.CutSuffix(text, unit)
		if !ends {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		size := math.Ldexp(v, 10*(i+1))
		return int64(size), err == nil && size >= leastBytes && size <= mostBytes
	}
	return 0, false
}
