package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kind is what a node is, in the terms that files share: those of JSON.
type kind int

const (
	null kind = iota
	boolean
	number
	text
	list
	mapping
)

// String names the kind in error messages.
func (k kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "a mapping"}[k]
}

// source is a text that nodes come from: a file, or a setting given as a flag.
type source struct {
	name  string
	dir   string // what relative paths in it refer to
	flag  bool   // a setting: it has no lines
	lines []string
}

// newSource returns the source of a file.
func newSource(name string, data []byte) *source {
	return &source{name: name, dir: filepath.Dir(name), lines: strings.Split(string(data), "\n")}
}

// line returns line i, from 1, without its end.
func (s *source) line(i int) string {
	if i < 1 || i > len(s.lines) {
		return ""
	}
	return strings.TrimSuffix(s.lines[i-1], "\r")
}

// fault returns an error at a position.
func (s *source) fault(line, col int, path, problem, remedy string) *Error {
	e := &Error{File: s.name, Path: path, Problem: problem, Remedy: remedy}
	if !s.flag {
		e.Line, e.Column, e.text = line, col, s.line(line)
	}
	return e
}

// node is a value of a file with its place. Nodes may be shared by aliases and are not changed once they are built.
type node struct {
	src       *source
	line, col int
	kind      kind
	value     string // of a scalar, as written without quotes
	quoted    bool
	items     []*node // of a list
	entries   []entry // of a mapping, in the order of the text
}

// entry is a key of a mapping, always text or a number, with its value.
type entry struct{ key, value *node }

// lookup returns the value of a key, nil if it is not there.
func (n *node) lookup(key string) *node {
	for _, e := range n.entries {
		if e.key.value == key {
			return e.value
		}
	}
	return nil
}

// What a file may contain at most. Aliases count as often as they are used, so that a few lines cannot stand for
// billions of values; no real model comes near either bound.
const (
	maxNodes = 1 << 22
	maxDepth = 64
)

// readTree turns the text of a file into nodes, or notes why it is none. The name tells YAML from JSON.
func readTree(src *source, data []byte, errs *collector) *node {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if strings.EqualFold(filepath.Ext(src.name), ".json") {
		return readJSON(src, data, errs)
	}
	return readYAML(src, data, errs)
}

func readYAML(src *source, data []byte, errs *collector) *node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		errs.add(src.fault(1, 1, "", "the file is empty", ""))
		return nil
	} else if err != nil {
		errs.add(syntaxFault(src, data, err))
		return nil
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		errs.add(src.fault(second.Line, max(second.Column, 1), "", "a second document begins here",
			"a file holds one document; put the other in a file of its own"))
		return nil
	} else if !errors.Is(err, io.EOF) {
		errs.add(syntaxFault(src, data, err))
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Tag == "!!null" && !src.flag {
		errs.add(src.fault(1, 1, "", "the file is empty", ""))
		return nil
	}
	c := converter{src: src, errs: errs, done: make(map[*yaml.Node]converted)}
	root := c.convert(doc.Content[0], 1)
	if c.failed {
		return nil
	}
	return root.node
}

// converted is a node with the number of values it stands for, aliases written out, and how deep they nest.
type converted struct {
	*node
	size, height int
}

// converter turns the nodes of the YAML package into ours.
type converter struct {
	src    *source
	errs   *collector
	done   map[*yaml.Node]converted // anchored nodes; without a node while being converted
	way    []string                 // steps from the root
	failed bool
}

func (c *converter) fail(n *yaml.Node, problem, remedy string) converted {
	c.failed = true
	c.errs.add(c.src.fault(n.Line, n.Column, joined(c.way), problem, remedy))
	return converted{&node{src: c.src, line: n.Line, col: n.Column}, 1, 1}
}

func (c *converter) convert(n *yaml.Node, depth int) converted {
	if n.Kind == yaml.AliasNode {
		return c.alias(n, depth)
	}
	if depth > maxDepth {
		return c.fail(n, fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return c.fail(n, fmt.Sprintf("the tag %s is not supported", n.Tag), "remove it")
	}
	if n.Anchor != "" {
		c.done[n] = converted{}
	}
	r := converted{&node{src: c.src, line: n.Line, col: n.Column}, 1, 1}
	switch n.Kind {
	case yaml.SequenceNode:
		c.list(&r, n, depth)
	case yaml.MappingNode:
		c.mapping(&r, n, depth)
	default:
		r.scalar(n.Value, n.Style&^yaml.FlowStyle != 0)
	}
	if r.size > maxNodes {
		return c.fail(n, fmt.Sprintf("stands for more than %d values", maxNodes), "write fewer aliases")
	}
	if n.Anchor != "" {
		c.done[n] = r
	}
	return r
}

func (c *converter) alias(n *yaml.Node, depth int) converted {
	r, ok := c.done[n.Alias]
	switch {
	case ok && r.node == nil:
		return c.fail(n, "the alias *"+n.Value+" is part of the value it stands for", "write the value out")
	case !ok: // the anchor was refused
		c.failed = true
		return converted{&node{src: c.src, line: n.Line, col: n.Column}, 1, 1}
	case depth+r.height > maxDepth+1:
		return c.fail(n, fmt.Sprintf("nested more than %d levels deep", maxDepth), "write fewer aliases")
	}
	return r
}

func (c *converter) list(r *converted, n *yaml.Node, depth int) {
	r.kind = list
	r.items = make([]*node, 0, len(n.Content))
	for i, item := range n.Content {
		c.way = append(c.way, "["+strconv.Itoa(i)+"]")
		r.add(c.convert(item, depth+1))
		c.way = c.way[:len(c.way)-1]
	}
}

// joined writes steps as a path.
func joined(steps []string) string { return strings.TrimPrefix(strings.Join(steps, ""), ".") }

func (r *converted) add(item converted) {
	r.items = append(r.items, item.node)
	r.count(item)
}

func (r *converted) count(part converted) {
	r.size = min(r.size+part.size, maxNodes+1)
	r.height = max(r.height, part.height+1)
}

func (c *converter) mapping(r *converted, n *yaml.Node, depth int) {
	r.kind = mapping
	seen := make(map[string]*node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		switch {
		case k.Kind != yaml.ScalarNode:
			c.fail(n.Content[i], "a key must be a word or a number", "")
			continue
		case k.Tag == "!!merge":
			c.fail(n.Content[i], "merge keys are not supported",
				"write the keys out, or use an alias for a whole value")
			continue
		}
		key := &node{src: c.src, line: n.Content[i].Line, col: n.Content[i].Column}
		key.scalar(k.Value, k.Style != 0)
		if key.kind == null {
			c.fail(n.Content[i], "a key must be a word or a number", "")
			continue
		}
		c.way = append(c.way, keyStep(key.value))
		if first := seen[key.value]; first != nil {
			c.fail(n.Content[i], "duplicate key", fmt.Sprintf("it is already set in line %d", first.line))
		} else {
			seen[key.value] = key
			v := c.convert(n.Content[i+1], depth+1)
			r.entries = append(r.entries, entry{key, v.node})
			r.count(v)
		}
		c.way = c.way[:len(c.way)-1]
	}
}

// scalar sets the kind and value of n as YAML 1.2 reads a scalar: of the words of older versions only null, true and
// false keep a meaning, and numbers are decimal.
func (n *node) scalar(value string, quoted bool) {
	n.value, n.quoted = value, quoted
	n.kind = text
	if quoted {
		return
	}
	switch value {
	case "", "~", "null", "Null", "NULL":
		n.kind = null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		n.kind = boolean
	default:
		if isDecimal(value) {
			n.kind = number
		}
	}
}

// isDecimal reports whether s is a decimal number without leading zeros.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "+"), "-")
	whole, rest := digits(s)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = digits(rest[1:])
	}
	if whole == "" && fraction == "" || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	exponent, rest := digits(rest)
	return exponent != "" && rest == ""
}

// digits splits s behind its leading digits.
func digits(s string) (lead, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// parseNumber returns the value of a decimal number, if it is finite.
func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "+"), 64)
	return v, err == nil && !math.IsInf(v, 0)
}
