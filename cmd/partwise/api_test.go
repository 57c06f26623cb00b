package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// apiFile lists what the public packages export, so that a change of the library is seen where it is made.
const apiFile = "../../testdata/api.txt"

func TestExportedAPI(t *testing.T) {
	var now bytes.Buffer
	for _, name := range publicPackages(t) {
		fmt.Fprintf(&now, "package %s\n", name)
		for _, line := range exportedDeclarations(t, filepath.Join("../..", name)) {
			fmt.Fprintf(&now, "\t%s\n", line)
		}
	}
	if *update {
		if err := os.WriteFile(apiFile, now.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(was), "\n"), strings.Split(now.String(), "\n")); diff != "" {
		t.Errorf("%s (-file +now); -update rewrites it, and CHANGELOG says it:\n%s", apiFile, diff)
	}
}

// publicPackages returns the packages that others can import, test support included.
func publicPackages(t *testing.T) (names []string) {
	for name := range goList(t, "") {
		if !strings.Contains(name, "internal") && !strings.HasPrefix(name, "cmd/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// exportedDeclarations returns the exported functions, methods, types, constants and variables of a package, each on a line.
// An exported variable is a mistake, unless it is an error value: whoever imports the package could change the variable.
func exportedDeclarations(t *testing.T, dir string) (lines []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			for _, one := range parts(d) {
				if v, ok := one.(*ast.GenDecl); ok && v.Tok == token.VAR {
					if name := v.Specs[0].(*ast.ValueSpec).Names[0].Name; !strings.HasPrefix(name, "Err") {
						t.Errorf("%s: the variable %s can be changed by others", path, name)
					}
				}
				lines = append(lines, oneLine(t, files, one))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// parts returns the declarations of a group, each as one without values, bodies and comments.
func parts(d ast.Decl) (all []ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		f := d.(*ast.FuncDecl)
		return []ast.Decl{&ast.FuncDecl{Recv: f.Recv, Name: f.Name, Type: f.Type}}
	}
	for _, s := range g.Specs {
		if v, ok := s.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				all = append(all, &ast.GenDecl{Tok: g.Tok, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{name}, Type: v.Type}}})
			}
		} else if g.Tok == token.TYPE {
			all = append(all, &ast.GenDecl{Tok: g.Tok, Specs: []ast.Spec{s}})
		}
	}
	return all
}

// oneLine prints a declaration on a line.
func oneLine(t *testing.T, files *token.FileSet, d ast.Decl) string {
	ast.Inspect(d, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			f.Doc, f.Comment, f.Tag = nil, nil, nil
		}
		return true
	})
	var text bytes.Buffer
	if err := format.Node(&text, files, d); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(text.String()), " ")
}
