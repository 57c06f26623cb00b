package validatecmd_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/validatecmd"
	"github.com/partwise/partwise/models/policy"
)

// The chain of static partitioning, beside its simulation.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{validatecmd.Command(policy.Standard())}, Policies: policy.Standard()}
	line := "validate ../../../../testdata/ips96/w1-sp2.yaml --policy static:2 --load 0.5 --precision 5% --format table"
	var out strings.Builder
	p.Run(context.Background(), strings.Fields(line), strings.NewReader(""), &out, io.Discard)
	for row := range strings.Lines(out.String()) {
		if words, _, found := strings.Cut(row, " ("); found && strings.Contains(row, "agree") {
			fmt.Println(words)
		}
	}
	// Output: static:2: model and simulation agree
}
