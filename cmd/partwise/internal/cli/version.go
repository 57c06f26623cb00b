package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

//go:embed version.txt
var versionText string

// VersionCommand prints the version.
func VersionCommand() Command { return Described(versionText, Command{Run: printVersion}) }

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
