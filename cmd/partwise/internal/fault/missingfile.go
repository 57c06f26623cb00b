package fault

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/partwise/partwise/models/words"
)

// unreadHint returns what the user can do about a file that cannot be opened; "" for other errors. A name may be misspelt, be an
// address of the web, or be meant as a queue.
func unreadHint(err error) string {
	var path *fs.PathError
	if !errors.As(err, &path) || path.Op == "write" {
		return ""
	}
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "name a file in it"
	case !errors.Is(err, fs.ErrNotExist):
		return ""
	case path.Path == "-":
		return "standard input is read for logs and measured times only: name a file, or /dev/stdin where there is one"
	case strings.Contains(path.Path, "://"):
		return "only files are read: download it first, for example by curl -O"
	case queueLike().MatchString(path.Path):
		return "if a queue is meant, write arrivals/service/servers, such as M/M/4 or M/H2[scv=4]/8"
	case fileInQueue().MatchString(path.Path):
		m := fileInQueue().FindStringSubmatch(path.Path)
		return fmt.Sprintf("did you mean '%sPH(%s)/%s'?", m[1], m[2], m[3])
	case strings.HasSuffix(path.Path, ".ph.json"):
		return cmp.Or(nearestFile(path.Path),
			"partwise fit runtimes.csv --output "+filepath.Base(path.Path)+" makes such a file of measured times")
	case strings.Contains(path.Path, ".shard-"):
		return cmp.Or(nearestFile(path.Path), "partwise curve or sweep writes shards, with --shard I/N --output FILE")
	}
	return nearestFile(path.Path)
}

// queueLike matches names without an extension that a queue may be meant by, such as M/M, MM4 and M M 4.
var queueLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)(m|d|e\d*|h2|gi?|ph)([\[(][^.]*)?[-/ ]?(m|d|e[\dk]?|h2|gi?|ph)([\[(]\S*)?[-/ ]?(\d*|c|n)$`)
})

// fileInQueue matches a queue whose service times are a fitted file without its brackets, such as M/work.ph.json/4.
var fileInQueue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Z]\w*/)([^/]+\.json)/(\d+)$`) })

// nearestFile returns the question whether another file of the same folder was meant; "" if no name is near.
func nearestFile(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	name, near := words.NearestFile(filepath.Base(path), entries)
	if !near {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", filepath.Join(filepath.Dir(path), name))
}
