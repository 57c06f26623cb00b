package tree

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a node is, in the terms that YAML and JSON share.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Boolean
	Number
	Text
	List
	Mapping
	Absent // of what a file leaves out: it has no value, and no mistakes
)

// String names the kind as error messages do.
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "a mapping", "nothing"}[k]
}

// Source is a text that nodes come from: a file, or a setting given as a flag.
type Source struct {
	Name  string
	dir   string // what relative paths in it refer to
	flag  bool   // a setting: it has no lines
	lines []string
}

// line returns line i, from 1, without its end.
func (s *Source) line(i int) string {
	if i < 1 || i > len(s.lines) {
		return ""
	}
	return strings.TrimSuffix(s.lines[i-1], "\r")
}

// mistake returns an error at a position.
func (s *Source) mistake(line, column int, path, problem, remedy string) *Error {
	e := &Error{File: s.Name, Path: path, Problem: problem, Remedy: remedy}
	if !s.flag {
		e.Line, e.Column, e.text = line, column, s.line(line)
	}
	return e
}

// Node is a value of a file with its place. Nodes may be shared by aliases: they are not changed once they are built.
type Node struct {
	Source       *Source
	Line, Column int // from 1, the column in characters
	Kind         Kind
	Value        string // of a scalar, as written without quotes
	Quoted       bool
	Items        []*Node // of a list
	Entries      []Entry // of a mapping, in the order of the text
}

// Entry is a key of a mapping, always text or a number, with its value.
type Entry struct{ Key, Value *Node }

// IsSet reports whether a setting of the command line, --set PATH=VALUE, gives the value.
func (n *Node) IsSet() bool { return n.Source.flag && strings.HasPrefix(n.Source.Name, setFlag) }

// Lookup returns the value of a key, nil if it is not there.
func (n *Node) Lookup(key string) *Node {
	for _, e := range n.Entries {
		if e.Key.Value == key {
			return e.Value
		}
	}
	return nil
}

// made returns a node of a kind with a value, at the place of the node.
func (n *Node) made(kind Kind, value string) *Node {
	return &Node{Source: n.Source, Line: n.Line, Column: n.Column, Kind: kind, Value: value}
}

// Under returns a mapping, at the place of the node, whose only key has the node as its value.
func (n *Node) Under(key string) *Node {
	mapping := n.made(Mapping, "")
	mapping.Entries = []Entry{{n.made(Text, key), n}}
	return mapping
}

// Nested reports whether an entry of a list is a list or a mapping.
func (n *Node) Nested() bool {
	return slices.ContainsFunc(n.Items, func(item *Node) bool { return item.Kind == List || item.Kind == Mapping })
}

// Flow writes the node in one line, in the flow style of YAML.
func (n *Node) Flow() string {
	var parts []string
	for _, item := range n.Items {
		parts = append(parts, item.Flow())
	}
	for _, e := range n.Entries {
		parts = append(parts, e.Key.Value+": "+e.Value.Flow())
	}
	switch {
	case n.Kind == Null:
		return "null"
	case n.Kind == List:
		return "[" + strings.Join(parts, ", ") + "]"
	case n.Kind == Mapping:
		return "{" + strings.Join(parts, ", ") + "}"
	case n.Kind == Text && strings.ContainsAny(n.Value, "\n,:[]{}\""):
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// What a file may contain at most. Aliases count as often as they are used, so that a few lines cannot stand for
// billions of values; no real model comes near either bound.
const (
	maxNodes = 1 << 22
	maxDepth = 64
)

// ReadTree turns the text of a file into nodes; it returns nil and notes why if the text cannot be read. The name appears
// in mistakes, says by its extension whether the text is JSON (.json) or YAML, and relative paths in the text refer to
// its directory.
func ReadTree(name string, data []byte, errs *Collector) *Node {
	src := &Source{Name: name, dir: filepath.Dir(name), lines: strings.Split(string(data), "\n")}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	utf16 := bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) // which YAML may be in
	if line, col, ok := notUTF8(src.lines); ok && !utf16 {
		errs.Add(src.mistake(line, col, "", "the file is not in UTF-8", "save it in the encoding UTF-8"))
		return nil
	}
	isJSON := strings.EqualFold(filepath.Ext(name), ".json")
	if isJSON && len(bytes.TrimSpace(data)) > 0 {
		if wrong := jsonError(src, data); wrong != nil {
			errs.Add(wrong)
			return nil
		}
		data = toYAML(data)
	}
	if line, col, ok := controlCharacter(src.lines); ok && !utf16 && !isJSON {
		errs.Add(src.mistake(line, col, "", "is not YAML: a control character", "delete it"))
		return nil
	}
	return readYAML(src, data, errs)
}
