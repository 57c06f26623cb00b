package allocatecmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/allocatecmd"
	"github.com/partwise/partwise/models/policy"
)

// A policy whose name is misspelt is found before anything runs.
func ExampleCommand() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{allocatecmd.Command(table)}, Policies: table}
	line := strings.Fields("allocate --policies sve")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stdout)
	// Output:
	// error: --policies: unknown policy "sve"
	// hint: did you mean "sev"?
}
