package solvecmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/solvecmd"
	"github.com/partwise/partwise/models/policy"
)

// One policy is shown with all its measures, several side by side.
func ExampleCommand() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{solvecmd.Command(table)}, Policies: table}
	line := strings.Fields("solve ../../../../testdata/ips96/w1-sp2.yaml --load 0.5 --policy dynamic --policy static:4 --format table --columns policy,jobs")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stderr)
}
