package needs

import (
	"os/exec"
	"strings"
	"testing"
)

// Python returns the path of a Python 3 that has the modules, and skips the test t where no Python of the system has all of them.
// Besides the first python3 of the PATH it tries the one for which a distribution packages its modules.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.CommandContext(t.Context(), path, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return path
		}
	}
	skip(t, "the program python3-"+strings.Join(modules, "-python3-"), "no Python here has these modules")
	return ""
}
