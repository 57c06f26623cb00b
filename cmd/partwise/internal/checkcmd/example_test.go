package checkcmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/checkcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// A model file is checked before anything is solved.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{checkcmd.Command()}, Policies: policy.Standard()}
	line := strings.Fields("check ../../../../testdata/ips96/w1-sp2.yaml --format table")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// ../../../../testdata/ips96/w1-sp2.yaml: no mistakes; it lists no expected results.
}
