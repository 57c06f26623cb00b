package explorer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// ErrNoSolver says that this program was built without the solver of the explorer, and that it could not be compiled.
var ErrNoSolver = errors.New("this program was built without the explorer")

// The files that generate.go makes.
const (
	programFile = "solver.wasm.gz"
	scriptFile  = "wasm_exec.js"
)

// Prepare sees to it that pages can be written. Where the solver is no part of the program, Go compiles it from the source of the
// program, and the user's folder for caches keeps it for the next time; say tells of the wait. The error wraps [ErrNoSolver].
func Prepare(ctx context.Context, say func(format string, args ...any)) error {
	if built != nil {
		return nil
	}
	s, err := kept(ctx, say)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSolver, err)
	}
	built = s
	return nil
}

// kept returns the solver that was compiled for this very program, or compiles it.
func kept(ctx context.Context, say func(format string, args ...any)) (*solver, error) {
	id, err := output.ProgramSum()
	if err != nil {
		return nil, err
	}
	parent, err := os.UserCacheDir()
	if err == nil {
		parent = filepath.Join(parent, "partwise")
		err = os.MkdirAll(parent, 0o755)
	}
	keeps := err == nil
	if !keeps {
		parent = ""
	}
	to := filepath.Join(parent, "explorer-"+id)
	if keeps {
		if s, err := read(to); err == nil {
			return s, nil
		}
	}
	fresh, err := os.MkdirTemp(parent, "compiling-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	if err := compile(ctx, fresh, say); err != nil {
		return nil, err
	}
	s, err := read(fresh)
	if err == nil && keeps {
		old, _ := filepath.Glob(filepath.Join(parent, "explorer-*")) // of other programs
		for _, dir := range old {
			os.RemoveAll(dir)
		}
		_ = os.Rename(fresh, to) // else it is compiled again the next time
	}
	return s, err
}

// read reads the files that generate.go makes.
func read(dir string) (*solver, error) {
	program, err := os.ReadFile(filepath.Join(dir, programFile))
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(dir, scriptFile))
	if err != nil {
		return nil, err
	}
	return &solver{program, string(script)}, nil
}

// compile runs generate.go in the source of this program.
func compile(ctx context.Context, to string, say func(format string, args ...any)) error {
	from, err := source(ctx)
	if err != nil {
		return err
	}
	say("Go compiles the explorer's solver: half a minute on an idle computer with two cores, once for each version of partwise")
	cmd := tool(ctx, "run", "generate.go", to)
	cmd.Dir = from
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compiling the solver: %w: %s", err, strings.TrimSpace(wrong.String()))
	}
	return nil
}

// source returns the folder of this package: where the compiler found it, or in the cache of modules.
func source(ctx context.Context) (string, error) {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) { // the program was built with -trimpath
		cache, err := tool(ctx, "env", "GOMODCACHE").Output()
		if err != nil {
			return "", err
		}
		file = filepath.Join(strings.TrimSpace(string(cache)), file)
	}
	dir := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(dir, "generate.go")); err != nil {
		return "", fmt.Errorf("its source is gone: %w", err)
	}
	return dir, nil
}

// tool is a call of Go for this computer, whatever the user builds for.
func tool(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	return cmd
}
