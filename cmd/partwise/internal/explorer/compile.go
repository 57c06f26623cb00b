package explorer

import (
	"bytes"
	"compress/gzip"
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

// The files that [Compile] makes.
const (
	programFile = "solver.wasm.gz"
	scriptFile  = "wasm_exec.js"
)

// Prepare makes the solver available, so that pages can be written. If the program does not contain the solver, Go compiles it
// from the source of the program. The user's folder for caches keeps it for the next time. The function say is called before the
// user has to wait. The error wraps [ErrNoSolver].
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
	if err != nil {
		return nil, err
	}
	parent = filepath.Join(parent, "partwise")
	to := filepath.Join(parent, "explorer-"+id)
	if s, err := read(to); err == nil {
		return s, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(parent, "compiling-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	from, err := source(ctx)
	if err != nil {
		return nil, err
	}
	say("Go compiles the explorer's solver: half a minute on an idle computer with two cores, once for each version of partwise")
	if err := Compile(ctx, from, fresh); err != nil {
		return nil, err
	}
	s, err := read(fresh)
	if err == nil {
		old, _ := filepath.Glob(filepath.Join(parent, "explorer-*")) // of other programs
		for _, dir := range old {
			os.RemoveAll(dir)
		}
		_ = os.Rename(fresh, to) // else it is compiled again the next time
	}
	return s, err
}

// read reads the files that [Compile] makes.
func read(dir string) (*solver, error) {
	program, errProgram := os.ReadFile(filepath.Join(dir, programFile))
	script, errScript := os.ReadFile(filepath.Join(dir, scriptFile))
	if err := errors.Join(errProgram, errScript); err != nil {
		return nil, err
	}
	return &solver{program, string(script)}, nil
}

// Compile compiles the solver from the folder of this package and compresses it into another folder, beside the script of Go that
// runs it. The same source and the same Go make the same bytes.
func Compile(ctx context.Context, from, to string) error {
	program := filepath.Join(to, "solver.wasm")
	build := tool(ctx, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "./wasm")
	build.Dir, build.Env = from, append(build.Env, "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the solver: %w: %s", err, bytes.TrimSpace(out))
	}
	data, errRead := os.ReadFile(program)
	root, errRoot := tool(ctx, "env", "GOROOT").Output()
	script, errScript := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", scriptFile))
	var small bytes.Buffer
	z, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // a level that there is
	_, err := z.Write(data)
	if err = errors.Join(err, z.Close(), errRead, errRoot, errScript, os.Remove(program)); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(to, programFile), small.Bytes(), 0o644),
		os.WriteFile(filepath.Join(to, scriptFile), script, 0o644))
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
