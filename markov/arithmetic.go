package markov

import (
	"runtime"

	"github.com/partwise/partwise/markov/internal/block"
)

// Arithmetic names what the last digits of results depend on: the processor's architecture, the kernel that multiplies
// blocks on it, and the version of Go. Results under the same name are the same to the last bit.
func Arithmetic() string { return runtime.GOARCH + ", " + block.Kernel() + ", " + runtime.Version() }
