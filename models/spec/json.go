package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// readJSON turns JSON text into nodes.
func readJSON(src *source, data []byte, errs *collector) *node {
	if len(bytes.TrimSpace(data)) == 0 {
		errs.add(src.fault(1, 1, "", "the file is empty", ""))
		return nil
	}
	r := &jsonReader{src: src, data: data, errs: errs, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, col: 1}
	r.dec.UseNumber()
	root, ok := r.value(1)
	if !ok || r.failed {
		return nil
	}
	r.skip()
	if r.offset < len(data) {
		errs.add(src.fault(r.line, r.col, "", "a second document begins here",
			"a file holds one document; put the other in a file of its own"))
		return nil
	}
	return root
}

// jsonReader reads values token by token and follows the line and column of each.
type jsonReader struct {
	src    *source
	data   []byte
	errs   *collector
	dec    *json.Decoder
	way    []string // steps from the root
	failed bool     // a mistake that does not end the reading

	offset    int // of line and col
	line, col int
	count     int
}

// advance moves the position to an offset that is not before it.
func (r *jsonReader) advance(to int) {
	for r.offset < to && r.offset < len(r.data) {
		c, size := utf8.DecodeRune(r.data[r.offset:])
		r.offset += size
		if c == '\n' {
			r.line, r.col = r.line+1, 1
		} else {
			r.col++
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
func (r *jsonReader) token() (json.Token, *node, bool) {
	r.skip()
	n := &node{src: r.src, line: r.line, col: r.col}
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
	r.errs.add(r.src.fault(r.line, r.col, joined(r.way), problem, ""))
	return nil, nil, false
}

func (r *jsonReader) value(depth int) (*node, bool) {
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
		r.errs.add(r.src.fault(n.line, n.col, joined(r.way), problem, ""))
		return nil, false
	}
	switch t := t.(type) {
	case nil:
		n.kind = null
	case bool:
		n.kind, n.value = boolean, fmt.Sprint(t)
	case json.Number:
		n.kind, n.value = number, t.String()
	case string:
		n.kind, n.value, n.quoted = text, t, true
	case json.Delim:
		if t == '[' {
			return r.list(n, depth)
		}
		return r.object(n, depth)
	}
	return n, true
}

func (r *jsonReader) list(n *node, depth int) (*node, bool) {
	n.kind = list
	for r.dec.More() {
		r.way = append(r.way, "["+strconv.Itoa(len(n.items))+"]")
		item, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		r.way = r.way[:len(r.way)-1]
		n.items = append(n.items, item)
	}
	_, _, ok := r.token()
	return n, ok
}

func (r *jsonReader) object(n *node, depth int) (*node, bool) {
	n.kind = mapping
	seen := make(map[string]int)
	for r.dec.More() {
		t, key, ok := r.token()
		if !ok {
			return nil, false
		}
		key.kind, key.quoted = text, true
		key.value, _ = t.(string)
		r.way = append(r.way, keyStep(key.value))
		if first, ok := seen[key.value]; ok {
			r.failed = true
			r.errs.add(r.src.fault(key.line, key.col, joined(r.way), "duplicate key",
				fmt.Sprintf("it is already set in line %d", first)))
		}
		seen[key.value] = key.line
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		n.entries = append(n.entries, entry{key, v})
		r.way = r.way[:len(r.way)-1]
	}
	_, _, ok := r.token()
	return n, ok
}
