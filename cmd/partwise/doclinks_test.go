package main

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// bracketed matches what is written as a link to an identifier. The parsed text of a comment keeps the brackets only where no
// such identifier exists.
var bracketed = pattern(`(?:^|[^\w\]])\[\*?(?:\w+\.)*[A-Z]\w+\]`)

// TestDocLinks: each [Name] in the comments of the public packages, outside of functions, is the name of an identifier that go doc
// finds.
func TestDocLinks(t *testing.T) {
	files := token.NewFileSet()
	packages, sources := map[string]*doc.Package{}, map[string][]*ast.File{}
	for _, name := range publicPackages(t) {
		sources[name] = parsedFiles(t, files, filepath.Join("../..", name))
		p, err := doc.NewFromFiles(files, sources[name], module+name, doc.AllDecls|doc.PreserveAST)
		if err != nil {
			t.Fatal(err)
		}
		packages[name] = p
	}
	for name, p := range packages {
		for _, file := range sources[name] {
			for _, group := range commentsOutside(file) {
				for _, text := range textsOf(p.Parser().Parse(group.Text()).Content) {
					if dead := deadLink(text, p, packages); dead != "" {
						t.Errorf("%s: nothing has the name %s", files.Position(group.Pos()), dead)
					}
				}
			}
		}
	}
}

// deadLink returns what a text in a comment of package p links to, if it is nothing. Links to other modules are not followed.
func deadLink(text comment.Text, p *doc.Package, packages map[string]*doc.Package) string {
	switch text := text.(type) {
	case comment.Plain:
		return bracketed().FindString(string(text))
	case *comment.DocLink:
		if text.ImportPath != "" {
			p = packages[strings.TrimPrefix(text.ImportPath, module)]
		}
		if p != nil && text.Name != "" && !p.Parser().LookupSym(text.Recv, text.Name) {
			return text.ImportPath + "." + strings.TrimPrefix(text.Recv+"."+text.Name, ".")
		}
	}
	return ""
}

// parsedFiles returns the files of a package, without its tests.
func parsedFiles(t *testing.T, files *token.FileSet, dir string) (all []*ast.File) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return all
}

// commentsOutside returns the comments of a file that are not within a function.
func commentsOutside(file *ast.File) (all []*ast.CommentGroup) {
	for _, group := range file.Comments {
		within := false
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			within = within || ok && f.Body != nil && f.Body.Pos() <= group.Pos() && group.End() <= f.Body.End()
		}
		if !within {
			all = append(all, group)
		}
	}
	return all
}

// textsOf returns the texts of blocks that may have links.
func textsOf(blocks []comment.Block) (all []comment.Text) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Heading:
			all = append(all, b.Text...)
		case *comment.Paragraph:
			all = append(all, b.Text...)
		case *comment.List:
			for _, item := range b.Items {
				all = append(all, textsOf(item.Content)...)
			}
		}
	}
	return all
}
