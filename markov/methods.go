package markov

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/markov/internal/reduction"
)

// Names of methods for Settings.Method.
const (
	Auto            = reduction.Auto            // "auto", which is cyclic reduction here
	CyclicReduction = reduction.CyclicReduction // "cyclic-reduction"
	// SubtractionFree is the cyclic reduction with the levels summed by doubling too, instead of by a factorisation
	// with exchanges: nothing is subtracted on the way to a probability or a mean, so that each has the digits of the
	// rates and of their distance from saturation, however stiff the chain. It takes somewhat longer.
	SubtractionFree = reduction.SubtractionFree // "subtraction-free"
)

// Methods lists the names that Settings.Method accepts, the automatic choice first.
func Methods() []string {
	return []string{Auto, CyclicReduction, SubtractionFree}
}

// reduction returns the method that is asked for, cyclic reduction if the choice is left to the solver.
func (s Settings) reduction() (reduction.Method, error) {
	m, ok := reduction.ByName(s.Method)
	if !ok {
		return m, fmt.Errorf("no method %q for a quasi-birth-and-death process, there are %s: %w",
			s.Method, strings.Join(Methods(), ", "), ErrMethod)
	}
	return m, nil
}
