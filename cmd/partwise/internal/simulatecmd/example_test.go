package simulatecmd_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/simulatecmd"
	"github.com/partwise/partwise/models/policy"
)

// The mean response time of a simulated machine of whole nodes.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{simulatecmd.Command(policy.Standard())}, Policies: policy.Standard()}
	line := "simulate ../../../../testdata/ips96/w1-sp2.yaml --policy static:2 --load 0.5 --precision 20% --format csv"
	var out strings.Builder
	p.Run(context.Background(), strings.Fields(line), strings.NewReader(""), &out, io.Discard)
	for row := range strings.Lines(out.String()) {
		if name, _, found := strings.Cut(row, "mean_response_time,"); found {
			fmt.Println(name + "mean_response_time")
		}
	}
	// Output: static,2,mean_response_time
}
