package reportcmd

import (
	"fmt"
	"slices"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/modelfile"
)

// The curve of a model alone takes about half a minute of one core at most: a model of thousands of nodes is solved at three loads, a
// small one at 49.
func TestLoadsOfLargeModels(t *testing.T) {
	for nodes, want := range map[int]int{64: 49, 1000: 24, 2800: 3} {
		study, err := modelfile.ParseStudy("m.yaml", fmt.Appendf(nil, `version: 1
machine: {nodes: %d}
arrivals: {rate: 0.01}
jobs: {demand: {hyperexponential: {mean: 300, scv: 2}}, speedup: {amdahl: {serial: 0.02}}}
`, nodes))
		if err != nil {
			t.Fatal(err)
		}
		s := &solved{Study: study, settings: markov.Settings{Memory: markov.NewMemory(1 << 30)}}
		s.thinLoads(&cli.Invocation{Context: t.Context()})
		if len(s.Loads) != want || !slices.IsSorted(s.Loads) {
			t.Errorf("%d nodes: loads %v, want %d", nodes, s.Loads, want)
		}
	}
}
