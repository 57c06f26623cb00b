package aboutcmd

import (
	_ "embed"
	"fmt"
	"runtime"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
)

//go:embed version.txt
var versionText string

// Version is the command that prints the version of the program, of Go, and the machine that the program was built for.
func Version() cli.Command {
	return cli.Described(versionText, cli.Command{Run: func(inv *cli.Invocation) error {
		return inv.Print(fmt.Sprintf("partwise %s (%s, %s/%s)\n", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	}})
}
