package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// listed is a package as go list describes it for a system, or a package with its tests.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

// TestOtherSystems checks the types of all packages and of their tests for other systems than this one, among their
// processors one of 32 bits. A compiler checks the same before it makes code, which takes many times as long.
func TestOtherSystems(t *testing.T) {
	needs.Long(t, "reads the standard library for each system")
	t.Parallel()
	read := sources{files: token.NewFileSet(), of: map[string]*ast.File{}}
	read.checkTypes(t, ".", "windows", "386", module+"...")
	read.checkTypes(t, ".", "linux", "386", module+"...")
	read.checkTypes(t, ".", "darwin", "arm64", module+"...")
	read.checkTypes(t, ".", "js", "wasm", module+program+"explorer/wasm")
}

// sources are files that several checks share, each read once.
type sources struct {
	files *token.FileSet
	of    map[string]*ast.File
}

// checkTypes checks the types of packages, and of their tests, of the module that a directory is in.
func (s sources) checkTypes(t *testing.T, dir, system, processor, packages string) {
	t.Helper()
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range listedFor(t, dir, system, processor, packages) {
		if checked[p.ImportPath] != nil || strings.HasSuffix(p.ImportPath, ".test") {
			continue // a main program of tests is written by go test
		}
		check := types.Config{
			Importer:         importsOf{p, checked},
			Sizes:            types.SizesFor("gc", processor),
			IgnoreFuncBodies: !strings.HasPrefix(p.ImportPath, module),
		}
		var err error
		if checked[p.ImportPath], err = check.Check(p.ImportPath, s.files, s.parse(t, p), nil); err != nil {
			t.Fatalf("%s/%s: %v", system, processor, err)
		}
	}
}

// listedFor lists packages with the files that a system compiles. Each package comes after those that it imports.
func listedFor(t *testing.T, dir, system, processor, packages string) (all []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap", packages)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s/%s: %v", system, processor, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// importsOf finds the packages that one imports among those that are checked.
type importsOf struct {
	listed
	checked map[string]*types.Package
}

func (i importsOf) Import(path string) (*types.Package, error) {
	if to, ok := i.ImportMap[path]; ok {
		path = to
	}
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not listed before")
}

// parse returns the files of a package.
func (s sources) parse(t *testing.T, p listed) (all []*ast.File) {
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		if s.of[path] == nil {
			file, err := parser.ParseFile(s.files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.of[path] = file
		}
		all = append(all, s.of[path])
	}
	return all
}
