package initcmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/initcmd"
)

// The first line of a model file to start from.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{initcmd.Command()}}
	var file bytes.Buffer
	p.Run(context.Background(), []string{"init", "gpu-training"}, strings.NewReader(""), &file, os.Stderr)
	line, _, _ := strings.Cut(file.String(), "\n")
	fmt.Println(line)
	// Output:
	// # yaml-language-server: $schema=partwise.schema.json
}
