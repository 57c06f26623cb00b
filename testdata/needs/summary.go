package needs

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// skipped counts the tests of this process that were skipped, by what they need.
var skipped struct {
	sync.Mutex
	by map[string]int
}

// skip skips the test t, counts the test, and says what it needs and why.
func skip(t testing.TB, need, why string) {
	t.Helper()
	skipped.Lock()
	if skipped.by == nil {
		skipped.by = map[string]int{}
	}
	skipped.by[need]++
	skipped.Unlock()
	t.Skipf("needs %s: %s", need, why)
}

// summary returns a sentence with the number of skipped tests by need, or "" if none was skipped.
func summary(by map[string]int) string {
	total := 0
	var needs []string
	for _, need := range slices.Sorted(maps.Keys(by)) {
		total += by[need]
		needs = append(needs, fmt.Sprintf("%d need %s", by[need], need))
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("skipped %d tests: %s", total, strings.Join(needs, ", "))
}

// Tests is what runs the tests of a package, such as a [testing.M].
type Tests interface{ Run() int }

// Counting returns tests that print, as their last line, how many tests were skipped and what the skipped tests need. With
// -concurrency only the tests run that call [Concurrency]. It is an error if no test calls it.
func Counting(tests Tests) Tests { return counting{tests} }

type counting struct{ tests Tests }

func (c counting) Run() int {
	flag.Parse()
	spendMemory()
	if *concurrency {
		if err := runConcurrency(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := c.tests.Run()
	if *concurrency && code == 0 && !concurrent.Load() {
		fmt.Fprintln(os.Stderr, errNoConcurrency)
		code = 1
	}
	if text := summary(skipped.by); text != "" {
		fmt.Println(text)
	}
	return code
}

// Main runs the tests of a package from its TestMain, prints how many were skipped, and exits. The go command shows the line of a
// package that passes only with -v, or in the folder of the package without naming it: .ci/run counts over all packages.
func Main(m *testing.M) { os.Exit(Counting(m).Run()) }
