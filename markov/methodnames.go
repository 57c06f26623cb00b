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
	// SubtractionFree is cyclic reduction that sums the levels by doubling instead of by a factorisation with row exchanges.
	// Nothing is subtracted on the way to a probability or a mean. So each has the digits of the rates and of the distance from
	// saturation, however stiff the chain is. It takes somewhat longer.
	SubtractionFree = reduction.SubtractionFree // "subtraction-free"
)

// Methods returns the names that Settings.Method accepts. The automatic choice is the first.
func Methods() []string {
	return []string{Auto, CyclicReduction, SubtractionFree}
}

// reduction returns the method that the settings name. The automatic choice is cyclic reduction. A wrong tolerance is an
// error, too.
func (s Settings) reduction() (reduction.Method, error) {
	m, ok := reduction.ByName(s.Method)
	if !ok {
		return m, fmt.Errorf("no method %q for a quasi-birth-and-death process, there are %s: %w",
			s.Method, strings.Join(Methods(), ", "), ErrMethod)
	}
	_, err := s.tolerance()
	return m, err
}
