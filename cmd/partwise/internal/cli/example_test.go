package cli_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// A program of one command, whose result is written in the format that its command line asks for.
func Example() {
	count := cli.Command{
		Name: "count", MaxArgs: 9, Formats: []string{"json", "csv"},
		Run: func(inv *cli.Invocation) error {
			return inv.Emit(&output.Result{Object: output.Object{{Name: "words", Value: len(inv.Args)}}})
		},
	}
	p := &cli.Program{Unlisted: []cli.Command{count}}
	p.Run(context.Background(), []string{"count", "one", "two"}, strings.NewReader(""), os.Stdout, os.Stderr)
	p.Run(context.Background(), []string{"cuont"}, strings.NewReader(""), os.Stdout, os.Stdout)
	// Output:
	// {
	//   "words": 2
	// }
	// error: unknown command "cuont"
	// hint: did you mean "count"?
}
