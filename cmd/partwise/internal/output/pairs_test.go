package output_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// TestPairs: what does not exist is not added.
func TestPairs(t *testing.T) {
	o := output.Pairs("a", 1, "b", nil, "c", math.NaN(), "d", "", "e", output.When(false, 1), "f", output.Positive(-1.0))
	if want := (output.Object{{"a", 1}, {"d", ""}}); !reflect.DeepEqual(o, want) {
		t.Errorf("%v, not %v", o, want)
	}
}

// TestPairsAreNamesAndValues: every call of Pairs in the commands has a name for each value. A name is a text, or a constant or
// variable that holds one; a number or a call in its place is a mistake that the compiler does not see.
func TestPairsAreNamesAndValues(t *testing.T) {
	files, calls := token.NewFileSet(), 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isPairs(call.Fun) {
				return true
			}
			calls++
			if len(call.Args)%2 != 0 {
				t.Errorf("%s: a name without a value", files.Position(call.Pos()))
			}
			for i := 0; i < len(call.Args); i += 2 {
				if !isName(call.Args[i]) {
					t.Errorf("%s: argument %d is not a name", files.Position(call.Pos()), i+1)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || calls < 50 {
		t.Errorf("%d calls were checked, error %v", calls, err)
	}
}

// isPairs reports whether a function is Pairs.
func isPairs(f ast.Expr) bool {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name == "Pairs"
	case *ast.SelectorExpr:
		return f.Sel.Name == "Pairs"
	}
	return false
}

// isName reports whether an argument may be a name: a text, a sum of texts, or what is called Name, name, TimeUnit or by a measure.
func isName(arg ast.Expr) bool {
	switch arg := arg.(type) {
	case *ast.BasicLit:
		return arg.Kind == token.STRING
	case *ast.BinaryExpr:
		return arg.Op == token.ADD && (isName(arg.X) || isName(arg.Y))
	case *ast.Ident:
		return arg.Name == "name" || arg.Name == "at" || arg.Name == "TimeUnit"
	case *ast.SelectorExpr:
		of, ok := arg.X.(*ast.Ident)
		return arg.Sel.Name == "Name" || arg.Sel.Name == "TimeUnit" || ok && of.Name == "measure"
	}
	return false
}
