package mergecmd_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/mergecmd"
)

// A file that is no shard is refused.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{mergecmd.Command()}}
	code := p.Run(context.Background(), []string{"merge", "example_test.go"}, strings.NewReader(""), os.Stdout, os.Stdout)
	fmt.Println("exit code", code)
	// Output:
	// error: example_test.go:1: is not the file of a sweep
	// hint: shards are made by partwise sweep --shard I/N --output FILE
	// exit code 3
}
