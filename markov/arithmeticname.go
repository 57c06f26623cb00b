package markov

import (
	"runtime"

	"github.com/partwise/partwise/markov/internal/block"
)

// Arithmetic returns a name of everything that the last digits of results depend on: the architecture of the processor,
// the kernel of products of blocks, and the version of Go. Results under the same name are equal to the last bit.
func Arithmetic() string { return runtime.GOARCH + ", " + block.Kernel() + ", " + runtime.Version() }
