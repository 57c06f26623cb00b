package schemacmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/schemacmd"
)

// A schema is an object of JSON.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{schemacmd.Command()}}
	var schema bytes.Buffer
	p.Run(context.Background(), []string{"schema", "study"}, strings.NewReader(""), &schema, os.Stderr)
	fmt.Println(schema.String()[:1])
	// Output: {
}
