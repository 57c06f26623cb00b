package policiescmd_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/policiescmd"
	"github.com/partwise/partwise/models/policy"
)

// What runs dynamic partitioning.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{policiescmd.Command()}, Policies: policy.Standard()}
	var out strings.Builder
	p.Run(context.Background(), []string{"policies", "--format", "csv"}, strings.NewReader(""), &out, os.Stderr)
	for row := range strings.Lines(out.String()) {
		if strings.HasPrefix(row, "dynamic,") {
			fmt.Println(strings.Join(strings.Split(row, ",")[:4], ","))
		}
	}
	// Output: dynamic,dynamic,"chain, machine"
}
