package reportcmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
)

// The sections of a report about a model alone.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{reportcmd.Command()}}
	line := strings.Fields("report ../../../../testdata/examples/gpu-training.yaml --format markdown --quiet")
	var page bytes.Buffer
	p.Run(context.Background(), line, strings.NewReader(""), &page, os.Stderr)
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "## ") {
			fmt.Print(line)
		}
	}
	// Output:
	// ## In short
	// ## Results
	// ## Machines and jobs
	// ## Assumptions
	// ## Warnings
	// ## Files
	// ## Made by
}
