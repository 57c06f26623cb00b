package workloadcmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/workloadcmd"
)

// The header of a log with jobs of a model.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{workloadcmd.Command()}}
	line := strings.Fields("workload lublin99 --nodes 16 --jobs 20")
	var log bytes.Buffer
	p.Run(context.Background(), line, strings.NewReader(""), &log, os.Stderr)
	for line := range strings.Lines(log.String()) {
		if strings.HasPrefix(line, ";") {
			fmt.Print(line)
		}
	}
	// Output:
	// ; Version: 2.2
	// ; Computer: made up by a model
	// ; Note: lublin99 of partwise, seed 1
	// ; MaxJobs: 20
	// ; MaxNodes: 16
	// ; MaxProcs: 16
}
