package multiserver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the files of the package, in their layers from the lowest to the highest. A file calls functions of the files before
// it only, so that each can be read without those after it. Below all of them are the packages in internal.
var layers = [][]string{
	{"doc.go"},
	// states and blocks: the queue, checked, and the transitions within and between its levels
	{"memory.go", "solvetime.go", "ratespread.go", "queue.go", "inservice.go", "decayrate.go"},
	// the levels below c, eliminated
	{"boundary.go", "levelstorage.go", "mixtureelimination.go", "forwardelimination.go", "flowpasses.go", "backsubstitution.go"},
	// a method for the levels from c on: matrices or modes
	{"matrixfrommodes.go", "saturatedlevel.go", "repeatingpart.go", "modecoefficients.go", "levelsweeps.go", "levelsbymodes.go", "methodchoice.go", "checksize.go"},
	// the solution
	{"solution.go"},
	// measures and their bounds
	{"measures.go", "residual.go", "errorbounds.go", "levelprobabilities.go", "delay.go"},
	// the choice of a method, and what its solution must pass
	{"solutionbymethod.go", "acceptance.go", "solve.go"},
}

func TestFilesCallDownwards(t *testing.T) {
	order := slices.Concat(layers...)
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if !slices.Contains(order, path) {
			t.Errorf("%s is in no layer", path)
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}} // of imports, which are not looked at
	pkg, _ := config.Check("multiserver", fset, files, info)
	for id, object := range info.Uses {
		called, ok := object.(*types.Func)
		if !ok || called.Pkg() != pkg {
			continue
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(called.Pos()).Filename)
		if slices.Index(order, to) > slices.Index(order, from) {
			t.Errorf("%s calls %s of %s, which is above it", fset.Position(id.Pos()), called.Name(), to)
		}
	}
}
