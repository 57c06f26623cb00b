package cli

import (
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
)

// MostKept returns how many things of a size in bytes fit into the memory allowed.
func (inv *Invocation) MostKept(bytes float64) int { return int(min(inv.Memory.Limit()/bytes, 1<<30)) }

// parseMemory reads a size such as 512MiB or 1.5GiB.
func parseMemory(text string) (*markov.Memory, error) {
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		number, ok := strings.CutSuffix(text, unit)
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if bytes := math.Ldexp(v, 10*(i+1)); ok && err == nil && bytes >= 1<<20 && bytes <= 1<<60 {
			return markov.NewMemory(int64(bytes)), nil
		}
	}
	return nil, Usagef("for example --memory 8GiB", "--memory: %q is not a size of at least 1MiB", text)
}
