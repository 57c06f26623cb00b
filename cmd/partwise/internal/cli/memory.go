package cli

import (
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
)

// memoryUnits are the units of --memory.
var memoryUnits = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// MostKept returns how many things of a size in bytes fit into the memory allowed.
func (inv *Invocation) MostKept(bytes float64) int { return int(min(inv.Memory.Limit()/bytes, 1<<30)) }

// parseMemory reads a size such as 512MiB or 1.5GiB.
func parseMemory(text string) (*markov.Memory, error) {
	for _, u := range memoryUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if bytes := v * u.bytes; err == nil && bytes >= 1<<20 && bytes <= 1<<60 {
			return markov.NewMemory(int64(bytes)), nil
		}
	}
	return nil, Usagef("for example --memory 8GiB", "--memory: %q is not a size of at least 1MiB", text)
}
