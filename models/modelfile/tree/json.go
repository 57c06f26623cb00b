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
	if len(bytes.TrimSpace(data)) == 0 {
		errs.Add(src.mistake(1, 1, "", "the file is empty", ""))
		return nil
	}
	r := &jsonReader{src: src, data: data, errs: errs, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.dec.UseNumber()
	root, ok := r.value(1)
	if !ok || r.failed {
		return nil
	}
	r.skip()
	if r.offset < len(data) {
		errs.Add(src.mistake(r.line, r.column, "", "a second document begins here",
			"a file holds one document; put the other in a file of its own"))
		return nil
	}
	return root
}

// jsonReader reads values token by token and follows the line and column of each.
type jsonReader struct {
	src    *Source
	data   []byte
	errs   *Collector
	dec    *json.Decoder
	way    Path // from the root
	failed bool // a mistake that does not end the reading

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

// token returns the next token with a node at its place.
func (r *jsonReader) token() (json.Token, *Node, bool) {
	r.skip()
	n := &Node{Source: r.src, Line: r.line, Column: r.column}
	t, err := r.dec.Token()
	if err == nil {
		return t, n, true
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
	r.errs.Add(r.src.mistake(r.line, r.column, r.way.String(), problem, ""))
	return nil, nil, false
}

func (r *jsonReader) value(depth int) (*Node, bool) {
	t, n, ok := r.token()
	if !ok {
		return nil, false
	}
	r.count++
	if depth > maxDepth || r.count > maxNodes {
		problem := fmt.Sprintf("nested more than %d levels deep", maxDepth)
		if r.count > maxNodes {
			problem = fmt.Sprintf("holds more than %d values", maxNodes)
		}
		r.errs.Add(r.src.mistake(n.Line, n.Column, r.way.String(), problem, ""))
		return nil, false
	}
	switch t := t.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind, n.Value = Boolean, fmt.Sprint(t)
	case json.Number:
		n.Kind, n.Value = Number, t.String()
	case string:
		n.Kind, n.Value, n.Quoted = Text, t, true
	case json.Delim:
		if t == '[' {
			return r.list(n, depth)
		}
		return r.object(n, depth)
	}
	return n, true
}

func (r *jsonReader) list(n *Node, depth int) (*Node, bool) {
	n.Kind = List
	for r.dec.More() {
		r.way = append(r.way, Step{Index: len(n.Items)})
		item, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		r.way = r.way[:len(r.way)-1]
		n.Items = append(n.Items, item)
	}
	_, _, ok := r.token()
	return n, ok
}

func (r *jsonReader) object(n *Node, depth int) (*Node, bool) {
	n.Kind = Mapping
	seen := make(map[string]int)
	for r.dec.More() {
		t, key, ok := r.token()
		if !ok {
			return nil, false
		}
		key.Kind, key.Quoted = Text, true
		key.Value, _ = t.(string)
		r.way = append(r.way, KeyStep(key.Value))
		if first, ok := seen[key.Value]; ok {
			r.failed = true
			r.errs.Add(r.src.mistake(key.Line, key.Column, r.way.String(), "duplicate key",
				fmt.Sprintf("it is already set in line %d", first)))
		}
		seen[key.Value] = key.Line
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		n.Entries = append(n.Entries, Entry{key, v})
		r.way = r.way[:len(r.way)-1]
	}
	_, _, ok := r.token()
	return n, ok
}
