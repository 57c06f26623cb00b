package input

import (
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/words"
)

// CommandLine returns a command on the first argument of an invocation, as a shell takes it: with further flags as they are
// written, "" for none, and with each of the named flags that the command line of the invocation gives.
func CommandLine(inv *cli.Invocation, command, further string, names ...string) string {
	line := []string{"partwise", command, words.Quoted(filepath.ToSlash(inv.Args[0])) + further}
	return strings.Join(append(line, inv.Repeat(names...)...), " ")
}
