package needs

import (
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

var concurrency = flag.Bool("concurrency", false, "run only the tests that call needs.Concurrency, for the race detector")

// concurrent is whether a test that ran is one of concurrency.
var concurrent atomic.Bool

// IsConcurrency reports whether the flags ask for tests of concurrency alone.
func IsConcurrency() bool { return *concurrency }

// Concurrency says of the test t that several goroutines share something in it, so that the race detector has something to find. With
// -concurrency the tests of a package that do not call Concurrency are left out: they would take ten times as long and tell nothing.
// [Main] and [Counting] find the calls in the source of the tests.
func Concurrency(t testing.TB) {
	t.Helper()
	concurrent.Store(true)
}

var errNoConcurrency = errors.New("needs: no test here calls needs.Concurrency, and -concurrency asks for these tests")

// runConcurrency lets only the tests in the working directory run that call Concurrency.
func runConcurrency() error {
	names, err := testsOfConcurrency(".")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errNoConcurrency
	}
	return flag.Set("test.run", "^("+strings.Join(names, "|")+")$")
}

// testsOfConcurrency returns the names of the tests in a folder whose bodies call Concurrency, ascending.
func testsOfConcurrency(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && callsConcurrency(f) {
				names = append(names, f.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// callsConcurrency reports whether a function calls needs.Concurrency.
func callsConcurrency(f *ast.FuncDecl) (calls bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Concurrency" {
				x, ok := s.X.(*ast.Ident)
				calls = calls || ok && x.Name == "needs"
			}
		}
		return true
	})
	return calls
}
