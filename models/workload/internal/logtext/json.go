// This file reads JSON value by value, and finds what stands at a path.

package logtext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"strconv"
	"strings"
)

// longestDocument is the longest value of JSON, in bytes, that is not one of an array.
const longestDocument = 64 << 20

// EachValue gives the values of JSON in a file to take, one by one, with the line on which each begins: the elements of an array, of the
// array that an object has under a key, or values one after the other. It returns an error of take, or an *[Error] of a file that is not
// JSON.
func EachValue(in *File, file, key string, take func(text json.RawMessage, line int) error) error {
	values := &Records{In: in, Most: longestDocument}
	source := &newlines{in: values}
	d := json.NewDecoder(source)
	damaged := func(err error) error {
		line := source.line(d.InputOffset())
		switch {
		case source.err != nil:
			return Damaged(file, line, source.err)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return &Error{File: file, Row: line, Problem: "the file is cut off: its JSON ends too early"}
		}
		return &Error{File: file, Row: line, Problem: "not JSON: " + err.Error()}
	}
	beginning, _ := in.Peek(in.Size())
	array := bytes.HasPrefix(bytes.TrimLeft(beginning, " \t\r\n"), []byte("[")) || hasKey(beginning, key)
	if array {
		if err := enter(d, key); err != nil {
			return damaged(err)
		}
	}
	for d.More() {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return damaged(err)
		}
		values.Next()
		if err := take(text, source.line(d.InputOffset()-int64(len(text)))); err != nil {
			return err
		}
	}
	if source.err != nil { // which More takes for the end
		return damaged(source.err)
	}
	if array {
		if _, err := d.Token(); err != nil {
			return damaged(err)
		}
		// The rest of an object holds no values, but the checksum of compressed data stands at their end.
		if _, err := io.Copy(io.Discard, in); err != nil {
			return Damaged(file, source.line(d.InputOffset()), err)
		}
	}
	return nil
}

// hasKey reports whether an object whose beginning is given has a key.
func hasKey(beginning []byte, key string) bool {
	d := json.NewDecoder(bytes.NewReader(beginning))
	depth := 0
	for {
		t, err := d.Token()
		if err != nil {
			return false
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 1 && t == key {
				return true
			}
		}
	}
}

// enter reads up to the first element of an array, or of the array under a key of an object.
func enter(d *json.Decoder, key string) error {
	t, err := d.Token()
	for err == nil && t != json.Delim('[') {
		if t, err = d.Token(); err != nil || t == key {
			break
		}
		var other json.RawMessage
		err = d.Decode(&other)
	}
	if err == nil && t == key {
		if t, err = d.Token(); err == nil && t != json.Delim('[') {
			err = fmt.Errorf("%s is not an array", key)
		}
	}
	return err
}

// newlines passes a file on and tells on which lines its bytes are.
type newlines struct {
	in     io.Reader
	passed int // lines
	read   int64
	ends   []int64 // of lines that have not been asked for
	err    error   // why the file cannot be read on, before its end
}

// Read reads on.
func (n *newlines) Read(p []byte) (int, error) {
	k, err := n.in.Read(p)
	for i, c := range p[:k] {
		if c == '\n' {
			n.ends = append(n.ends, n.read+int64(i))
		}
	}
	n.read += int64(k)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// line returns the line, from 1, of the byte at an offset. Offsets must not decrease from call to call.
func (n *newlines) line(offset int64) int {
	i := 0
	for i < len(n.ends) && n.ends[i] < offset {
		i++
	}
	n.passed += i
	n.ends = append(n.ends[:0], n.ends[i:]...)
	return n.passed + 1
}

// Expand gives an object once for each element of the arrays on a path, with the element in place of its array. So what stands beside
// a value in an array is of the same element.
func Expand(object map[string]any, path string) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		name, rest, _ := strings.Cut(path, ".")
		if _, dotted := object[path]; dotted {
			name, rest = path, ""
		}
		elements, isList := object[name].([]any)
		if !isList {
			elements = []any{object[name]}
		}
		for _, element := range elements {
			inner, isObject := element.(map[string]any)
			switch {
			case isObject && rest != "":
				for one := range Expand(inner, rest) {
					if !yield(with(object, name, one)) {
						return
					}
				}
			case isList:
				if !yield(with(object, name, element)) {
					return
				}
			case !yield(object):
				return
			}
		}
	}
}

// with returns an object with another value of a key.
func with(object map[string]any, key string, value any) map[string]any {
	object = maps.Clone(object)
	object[key] = value
	return object
}

// Text returns what stands at a path of an object as a field of a table: numbers and texts as they are.
func Text(object map[string]any, path string) (text string, found bool) {
	value, found := object[path] // a key with dots
	if name, rest, nested := strings.Cut(path, "."); !found && nested {
		inner, _ := object[name].(map[string]any)
		return Text(inner, rest)
	}
	switch v := value.(type) {
	case nil:
		return "null", found
	case json.Number:
		return v.String(), true
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	out, _ := json.Marshal(value)
	return string(out), true
}
