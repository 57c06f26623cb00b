package advisecmd_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/advisecmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/policy"
)

// Where a resize takes some seconds, dividing the machine at every arrival and departure is good enough, but shrinking
// jobs only when three of them wait is a little better.
func ExampleAdvise() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{advisecmd.Advise()}, Policies: table}
	line := strings.Fields("advise ../../../../testdata/examples/malleable.yaml --over wait=1,3 --max-jobs 60000 --format csv")
	var out strings.Builder
	p.Run(context.Background(), line, strings.NewReader(""), &out, os.Stderr)
	for row := range strings.Lines(out.String()) {
		if strings.HasSuffix(row, ",true\n") { // left when the others are ruled out
			fmt.Println(row[:strings.Index(row, ",,")])
		}
	}
	// Output:
	//
}
