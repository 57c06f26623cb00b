package needs

import (
	"flag"
	"math/rand/v2"
)

var seed = flag.Uint64("seed", 0, "draw the samples of tests that call needs.Rand from this seed, in place of the usual ones")

// Rand returns a source of random numbers for a test, which is named by two numbers. It is the same in every run, unless the flag
// -seed asks for other samples.
func Rand(first, second uint64) *rand.Rand { return rand.New(rand.NewPCG(first^*seed, second)) }
