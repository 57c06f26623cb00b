package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// goFence matches the programs of a page.
var goFence = pattern("(?s)```go\n(package main\n.*?)```")

// libraryPage returns the folder of the module, and docs/library.md.
func libraryPage(t *testing.T) (root, page string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	return root, string(text)
}

// TestLibraryPrograms builds and runs the programs of docs/library.md, in a module of their own.
func TestLibraryPrograms(t *testing.T) {
	needs.Long(t, "programs are built and linked")
	t.Parallel()
	root, page := libraryPage(t)
	dir := moduleBeside(t, root)
	programs := goFence().FindAllStringSubmatch(page, -1)
	if len(programs) != 7 {
		t.Fatalf("%d programs, expected 7", len(programs))
	}
	for i, program := range programs {
		to := filepath.Join(dir, fmt.Sprintf("p%d", i+1))
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "main.go"), []byte(program[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", "bin/", "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range programs {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", fmt.Sprintf("p%d", i+1)))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("program %d: %v\n%s", i+1, err, out)
		}
		t.Logf("program %d: %s", i+1, out)
	}
}

// shellFence matches the commands of a page.
var shellFence = pattern("(?s)```sh\n(.*?)```")

// TestLibraryStartsFromNothing: in a new module with one program, the first commands of docs/library.md lead to a build.
func TestLibraryStartsFromNothing(t *testing.T) {
	needs.Long(t, "a program is built and linked")
	t.Parallel()
	root, page := libraryPage(t)
	dir := t.TempDir()
	program := goFence().FindStringSubmatch(page)[1]
	written := strings.Index(page, "write the program into `main.go`")
	commands := shellFence().FindStringSubmatchIndex(page)
	if written < 0 || commands[0] < written {
		t.Fatal("the page does not say that the program is written before go mod tidy, which removes what no program imports")
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	steps := strings.ReplaceAll(page[commands[2]:commands[3]], "=../partwise", "="+root)
	run := exec.CommandContext(t.Context(), "sh", "-ec", "go mod init example.org/library\n"+steps+"\ngo build -o program .\n./program")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off") // with the same GOFLAGS: other flags would compile all packages again
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// moduleBeside makes a module that uses the one at root, with the same versions of what both need.
func moduleBeside(t *testing.T, root string) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.TrimSuffix(module, "/")
	text := strings.Replace(string(mod), "module "+ours, "module example.org/library", 1)
	text += fmt.Sprintf("\nrequire %s v0.0.0\nreplace %s => %s\n", ours, ours, root)
	dir := t.TempDir()
	for name, data := range map[string][]byte{"go.mod": []byte(text), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
