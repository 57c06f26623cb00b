package curvecmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/curvecmd"
	"github.com/partwise/partwise/models/policy"
)

// A model at two loads.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{curvecmd.Command()}, Policies: policy.Standard()}
	line := strings.Fields("curve ../../../../testdata/ips96/w1-sp2.yaml --load 0.5,0.9 --format table")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// Workload 1, 8-node SP2
	// load  T dynamic [s]  T best static [s]  K  ratio  repartitioning
	//  0.5         542.06             508.53  1  0.938          0.74 %
	//  0.9         2352.5             2666.9  4  1.134          0.91 %
	//
	// Workload 1, 8-node SP2: dynamic partitioning pays at load 0.9, of the loads that were solved.
	// Assumed: overhead distribution exponential (--set dynamic.shrink.scv=0.5), stops all (--set dynamic.stops=resized), setup 0s (--set static.setup.exponential.mean=60s).
}
