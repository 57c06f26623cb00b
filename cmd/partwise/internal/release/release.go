// Package release says which version of the program runs.
package release

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// version is set by the build of a release.
var version string

// Version returns the version of the release or of the module. A build of a checkout has a version that names the revision. The
// version is unknown if the build has no information about its module.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if version != "" || !ok {
		return cmp.Or(version, "unknown")
	}
	return strings.Trim(cmp.Or(info.Main.Version, "devel"), "()")
}

// IsReleased reports whether the version stands for one program. The version of work under way may stand for many programs.
func IsReleased() bool { return isReleased(Version()) }

func isReleased(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.HasSuffix(version, "+dirty")
}
