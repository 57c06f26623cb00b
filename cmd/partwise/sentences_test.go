package main

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// mostWords is how many words a sentence of a comment may have.
const mostWords = 30

// TestSentencesOfComments: a reader of a comment never has to read a sentence twice because of its length.
func TestSentencesOfComments(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, s := range longSentences(group) {
				t.Errorf("%s: a sentence of %d words, more than %d: %s", files.Position(group.Pos()), words(s), mostWords, s)
			}
		}
		if !strings.Contains(filepath.ToSlash(path), "/internal/") {
			for _, f := range silentOnContexts(file) {
				t.Errorf("%s: the comment of %s does not say what happens if the context ends", files.Position(f.Pos()), f.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// endOfContext matches what the comment of a function says of the end of its context: by name, or by the errors of another function.
var endOfContext = pattern(`\bctx\b|\bcontext|\b(errors?|comes?)\s(from|of)\s[^.]*\[`)

// silentOnContexts returns the exported functions, and methods of exported types, that take a context and whose comments do not
// say what happens if the context ends.
func silentOnContexts(file *ast.File) (silent []*ast.FuncDecl) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() || f.Recv != nil && !ast.IsExported(receiver(f)) || endOfContext().MatchString(f.Doc.Text()) {
			continue
		}
		for _, p := range f.Type.Params.List {
			if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
				silent = append(silent, f)
			}
		}
	}
	return silent
}

// receiver returns the name of the type of a method.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch g := t.(type) {
	case *ast.IndexExpr:
		t = g.X
	case *ast.IndexListExpr:
		t = g.X
	}
	name, _ := t.(*ast.Ident)
	return name.Name
}

// longSentences returns the sentences of a comment that have too many words. Formulas and programs are no sentences.
func longSentences(group *ast.CommentGroup) (long []string) {
	var blocks []comment.Block
	for _, b := range new(comment.Parser).Parse(group.Text()).Content {
		if list, ok := b.(*comment.List); ok {
			for _, item := range list.Items {
				blocks = append(blocks, item.Content...)
			}
			continue
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		p, ok := b.(*comment.Paragraph)
		if !ok {
			continue
		}
		for _, s := range sentences(textOf(p.Text)) {
			if words(s) > mostWords {
				long = append(long, s)
			}
		}
	}
	return long
}

// textOf returns the text of a paragraph without its markup.
func textOf(parts []comment.Text) string {
	var b strings.Builder
	for _, part := range parts {
		switch v := part.(type) {
		case comment.Plain:
			b.WriteString(string(v))
		case comment.Italic:
			b.WriteString(string(v))
		case *comment.Link:
			b.WriteString(textOf(v.Text))
		case *comment.DocLink:
			b.WriteString(textOf(v.Text))
		default:
			panic(fmt.Sprintf("a comment with a %T", part))
		}
	}
	return b.String()
}

// endOfSentence matches what ends a sentence, with the space behind it. What follows a colon is a sentence of its own.
var endOfSentence = pattern(`[.!?:][)"”]*\s+`)

// sentences returns the sentences of a paragraph.
func sentences(text string) []string { return endOfSentence().Split(text, -1) }

// words returns how many words a sentence has. A sign between spaces is no word.
func words(sentence string) int {
	n := 0
	for _, field := range strings.Fields(sentence) {
		if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
