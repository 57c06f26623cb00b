package needs

import (
	"os"
	"path/filepath"
	"testing"
)

// logs is the folder of job logs, relative to the root of the repository. The logs belong to their archives and are no part of it:
// most are of the Parallel Workloads Archive, https://www.cs.huji.ac.il/labs/parallel/workload/.
const logs = "../shared/traces"

// root is the absolute path of the repository. It is found before any test changes the working directory.
var root = repository()

// repository returns the first folder with a go.mod, from the working directory upwards. Tests begin in the folder of their package.
func repository() string {
	folder, err := os.Getwd()
	if err != nil {
		return "."
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// JobLog returns the path of a job log, and skips the test t where the log is not beside the repository.
func JobLog(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root, logs, name)
	if _, err := os.Stat(path); err != nil {
		skip(t, "the job log "+name, "it is not in "+logs+" beside the repository")
	}
	return path
}
