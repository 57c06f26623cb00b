package breakevencmd_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/breakevencmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// From which load on dynamic partitioning is faster than the best static one.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{breakevencmd.Command()}, Policies: policy.Standard()}
	var out strings.Builder
	p.Run(context.Background(), strings.Fields("breakeven ../../../../testdata/ips96/w1-sp2.yaml --over load --format table"),
		strings.NewReader(""), &out, io.Discard)
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "pays while") {
			fmt.Print(line)
		}
	}
	// Output: Dynamic partitioning pays while the load is above 0.685; examined from 0.01 to 0.99.
}
