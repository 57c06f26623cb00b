package logflags_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/logflags"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

type options struct{ logflags.Assuming }

func (o *options) Flags() []cli.Flag { return o.Assuming.Flags("") }

// What is assumed of a log when one flag is given.
func ExampleAssuming() {
	fresh := func() *options { return &options{logflags.NewAssuming()} }
	run := func(inv *cli.Invocation, o *options) error {
		for _, a := range o.Assumed(inv, replay.Setting{Policy: policy.Dynamic{}}) {
			fmt.Println(a)
		}
		return nil
	}
	p := &cli.Program{Unlisted: []cli.Command{cli.WithOptions(fresh, run, cli.Command{Name: "assume"})}}
	p.Run(context.Background(), strings.Fields("assume --speedup linear"), strings.NewReader(""), os.Stdout, io.Discard)
	// Output:
	// resize cost 60s (--resize-cost)
	// stops resized (--stops)
}
