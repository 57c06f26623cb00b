// This file reads JSON value by value, and finds what stands at a path.

package logtext

import (
	"bytes"
	"cmp"
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

// EachValue gives the values of JSON in a file to take, one by one, with the line on which each begins: the elements of an array,
// of the array that an object has under a key, or values one after the other. It returns an error of take, or an *[Error] of a
// file that is not JSON.
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
	// each gives the values up to the end of an array, or of the file.
	each := func() error {
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
		return nil
	}
	beginning, _ := in.Peek(in.Size())
	if !bytes.HasPrefix(bytes.TrimLeft(beginning, " \t\r\n"), []byte("[")) && !hasKey(beginning, key) {
		if err := each(); err != nil {
			return err
		}
	}
	for d.More() { // arrays one after the other, as of several files
		depth, err := enter(d, key)
		if err != nil {
			return damaged(err)
		}
		if depth > 0 {
			if err := each(); err != nil {
				return err
			}
		}
		for ; depth > 0; values.Next() { // what follows the array holds no values, but must be JSON
			t, err := d.Token()
			if err != nil {
				return damaged(err)
			}
			depth += depthOf(t)
		}
	}
	if source.err != nil {
		return damaged(source.err)
	}
	if _, err := d.Token(); err != io.EOF { // a bracket that closes nothing
		return damaged(cmp.Or(err, errors.New("more brackets are closed than opened")))
	}
	// The checksum of compressed data stands at their end.
	if _, err := io.Copy(io.Discard, in); err != nil {
		return Damaged(file, source.line(d.InputOffset()), err)
	}
	return nil
}

// depthOf returns 1 of an opening bracket, −1 of a closing one, and 0 of other tokens.
func depthOf(t json.Token) int {
	switch t {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	}
	return 0
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
		depth += depthOf(t)
		if depth == 1 && t == key {
			return true
		}
	}
}

// enter reads up to the first element of an array, or of the array under a key of an object, and returns how many brackets are
// open then: 0 of an object without the key.
func enter(d *json.Decoder, key string) (depth int, err error) {
	t, err := d.Token()
	if err != nil || t == json.Delim('[') {
		return 1, err
	}
	if t != json.Delim('{') {
		return 0, fmt.Errorf("%v in place of an array", t)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return 0, err
		}
		if name != key {
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return 0, err
			}
			continue
		}
		if t, err = d.Token(); err == nil && t != json.Delim('[') {
			err = fmt.Errorf("%s is not an array", key)
		}
		return 2, err
	}
	_, err = d.Token() // the end of the object
	return 0, err
}

// Elements returns the elements of the array that an object has under a key. ok is false if the text is no object with such an array.
func Elements(text json.RawMessage, key string) (elements []json.RawMessage, ok bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || json.Unmarshal(object[key], &elements) != nil {
		return nil, false
	}
	return elements, elements != nil
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
