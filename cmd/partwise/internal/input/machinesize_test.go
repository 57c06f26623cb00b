package input_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/models/policy"
)

// A log that does not say how many nodes its machine has is refused with the nodes that were in use at once. Two jobs of 3 and
// 2 nodes run from 0 to 10 and from 5 to 15; when the first ends, one of 4 nodes starts. Of a job that has no run time, or no
// wait, only the size counts.
func TestPeakNodes(t *testing.T) {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{replaycmd.Command(table)}, Policies: table}
	const rest = " -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
	log := "1 0 0 10 3" + rest + "2 1 4 10 2" + rest + "3 2 8 5 4" + rest + "4 3 1 -1 5" + rest
	for text, want := range map[string]string{log: "--nodes 6:", log + "5 6 -1 10 7" + rest: "--nodes 7:"} {
		var said bytes.Buffer
		if code := p.Run(t.Context(), []string{"replay", "-"}, strings.NewReader(text), io.Discard, &said); code != fault.ExitUsage ||
			!strings.Contains(said.String(), want) {
			t.Errorf("exit %d: %s; want %s", code, said.String(), want)
		}
	}
}
