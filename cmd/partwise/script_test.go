package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/cpu"

	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/lab"
)

var (
	update = flag.Bool("update", false, "rewrite golden outputs")
)

// skipUnlessAsked skips an example or a page whose commands take seconds, unless the flags ask for long tests or for new outputs.
func skipUnlessAsked(t *testing.T, takesSeconds bool) {
	t.Helper()
	if takesSeconds && !*update {
		needs.Long(t, "executes commands that take seconds")
	}
}

func TestMain(m *testing.M) {
	if lab.IsProcess() {
		main()
	}
	// Some tests wait for other processes or for the clock, so twice as many run at the same time as there are processors,
	// unless -parallel says how many.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(needs.Counting(m), map[string]func(){"partwise": asProgram})
}

// asProgram is main in a process of its own. Allocations are not sampled: Go links no profile of memory into the program, only into
// tests.
func asProgram() {
	runtime.MemProfileRate = 0
	main()
}

// TestScript runs the command lines of testdata/script as a user would type them.
func TestScript(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	testscript.Run(t, params(t, "testdata/script"))
}

func params(t *testing.T, dir string) testscript.Params {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Files:               scripts(t, dir),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", filepath.Join(root, "testdata"))
			env.Setenv("TERM", "dumb")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("GOGC", os.Getenv("GOGC"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "avx2":
				return cpu.X86.HasAVX2 && cpu.X86.HasFMA, nil
			case "long":
				return needs.IsLong(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"noseconds": noSeconds,
		},
	}
}

// scripts returns the scripts of a folder. With -concurrency they are those that say in their first line that they are for the race
// detector.
func scripts(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if needs.IsConcurrency() {
		all = slices.DeleteFunc(all, func(name string) bool {
			text, err := os.ReadFile(name)
			return err != nil || !bytes.HasPrefix(text, []byte("# For the race detector: "))
		})
	}
	if len(all) == 0 {
		t.Fatalf("no scripts in %s", dir)
	}
	return all
}

// exits CODE COMMAND... runs a command that must end with the exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v: %v", args[1:], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

var timing = pattern(`"(seconds|events_per_second)": [0-9.e+-]+`)

// noSeconds FILE... takes the only thing out of JSON files that may differ between runs.
func noSeconds(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		path := ts.MkAbs(name)
		data, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, timing().ReplaceAll(data, []byte(`"$1": 0`)), 0o644))
	}
}

// pattern returns a regular expression that is compiled at first use: most processes that scripts start need none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
