package cli

import (
	"cmp"
	"runtime/debug"
	"strings"
)

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
