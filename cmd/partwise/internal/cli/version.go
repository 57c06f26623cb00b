package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
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

// Version is that of the release or of the module, or the revision it was built from.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
