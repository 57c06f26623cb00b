package policy

import "strings"

// Runner is what can run a policy; several are joined by |.
type Runner uint8

// The runners.
const (
	Chain      Runner = 1 << iota // an exact Markov chain
	WholeNodes                    // the simulated machine, whose jobs hold whole nodes
	TimeShared                    // the simulated cluster, whose nodes have processes of several jobs each
)

// runners are the names of the runners.
var runners = []string{"chain", "machine", "cluster"}

// Names returns the names of the runners in r: "chain", "machine", "cluster".
func (r Runner) Names() (names []string) {
	for i, name := range runners {
		if r>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names, joined by commas.
func (r Runner) String() string { return strings.Join(r.Names(), ", ") }
