package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// VersionCommand prints the version.
func VersionCommand() Command {
	return Command{
		Name:    "version",
		Summary: "print the version",
		Details: "Prints the version of the program, of Go, and of the machine it was built for.",
		Run:     printVersion,
	}
}

func printVersion(inv *Invocation) error {
	return inv.Print(fmt.Sprintf("partwise %s (%s, %s/%s)\n", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

// version is set by the build of a release.
var version string

// Version returns the version of the release or of the module; a build of a checkout has a version that names the revision.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if version != "" || !ok {
		return cmp.Or(version, "unknown")
	}
	return strings.Trim(cmp.Or(info.Main.Version, "devel"), "()")
}
