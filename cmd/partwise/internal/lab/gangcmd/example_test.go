package gangcmd_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/gangcmd"
	"github.com/partwise/partwise/models/policy"
)

// Jobs of an eighth of the nodes in slices of 30 s, before each of which a second is lost.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{gangcmd.Command()}, Policies: policy.Standard()}
	line := strings.Fields("gang ../../../../../testdata/examples/malleable.yaml --partitions 8 --slice 30s --switch-over 1s --format csv")
	var out strings.Builder
	p.Run(context.Background(), line, strings.NewReader(""), &out, io.Discard)
	for row := range strings.Lines(out.String()) {
		if _, jobs, found := strings.Cut(row, "mean_jobs,"); found {
			fmt.Println("mean number of jobs", jobs[:4])
		}
	}
	// Output: mean number of jobs 6.65
}
