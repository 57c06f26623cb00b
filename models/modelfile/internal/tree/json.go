package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// readJSON turns JSON text into nodes.
func readJSON(src *Source, data []byte, errs *Collector) *Node {
	r := &jsonReader{builder: builder{src: src, errs: errs}, data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.dec.UseNumber()
	if len(bytes.TrimSpace(data)) == 0 {
		r.fail(1, 1, emptyFile, "")
		return nil
	}
	root := r.value(1)
	if r.skip(); !r.ended && r.offset < len(data) {
		r.fail(r.line, r.column, secondDocument, oneDocument)
	}
	if r.failed {
		return nil
	}
	return root
}

// jsonReader reads values token by token and follows the line and column of each.
type jsonReader struct {
	builder
	data  []byte
	dec   *json.Decoder
	ended bool // by a mistake behind which nothing can be read

	offset       int // of line and column
	line, column int
	count        int
}

// advance moves the position to an offset that is not before it.
func (r *jsonReader) advance(to int) {
	for r.offset < to && r.offset < len(r.data) {
		c, size := utf8.DecodeRune(r.data[r.offset:])
		r.offset += size
		if c == '\n' {
			r.line, r.column = r.line+1, 1
		} else {
			r.column++
		}
	}
}

// skip moves the position to the next token.
func (r *jsonReader) skip() {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	r.advance(at)
}

// token returns the next token, nil after a mistake, with a node at its place.
func (r *jsonReader) token() (json.Token, *Node) {
	r.skip()
	n := &Node{Source: r.src, Line: r.line, Column: r.column}
	t, err := r.dec.Token()
	if err == nil {
		return t, n
	}
	problem := "is not JSON: " + err.Error()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		problem = "is not JSON: the file ends too early"
		r.advance(len(r.data))
	case errors.As(err, &syntax):
		r.advance(int(syntax.Offset) - 1)
	}
	r.end(r.line, r.column, problem)
	return nil, n
}

// end notes a mistake behind which nothing can be read.
func (r *jsonReader) end(line, column int, problem string) {
	r.ended = true
	r.fail(line, column, problem, "")
}

func (r *jsonReader) value(depth int) *Node {
	t, n := r.token()
	r.count++
	switch {
	case r.ended:
	case r.count > maxNodes:
		r.end(n.Line, n.Column, fmt.Sprintf("holds more than %d values", maxNodes))
	case depth > maxDepth:
		r.end(n.Line, n.Column, tooDeep)
	}
	switch t := t.(type) {
	case bool:
		n.Kind, n.Value = Boolean, fmt.Sprint(t)
	case json.Number:
		n.Kind, n.Value = Number, t.String()
	case string:
		n.Kind, n.Value, n.Quoted = Text, t, true
	case json.Delim:
		r.parts(n, t, depth)
	}
	return n
}

// parts reads the entries of a list or a mapping up to the bracket that closes it.
func (r *jsonReader) parts(n *Node, open json.Delim, depth int) {
	n.Kind = List
	if open == '{' {
		n.Kind = Mapping
	}
	seen := make(map[string]*Node)
	for !r.ended && r.dec.More() {
		if n.Kind == List {
			r.in(Step{Index: len(n.Items)}, func() { n.Items = append(n.Items, r.value(depth+1)) })
			continue
		}
		t, key := r.token()
		key.Kind, key.Quoted = Text, true
		key.Value, _ = t.(string)
		if r.ended {
			return
		}
		r.in(KeyStep(key.Value), func() {
			r.unique(seen, key)
			n.Entries = append(n.Entries, Entry{key, r.value(depth + 1)})
		})
	}
	if !r.ended {
		r.token()
	}
}
