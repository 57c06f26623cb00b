package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Set is a setting PATH=VALUE that replaces a value of a file before it is decoded.
//
// The path names keys, joined by dots, and entries of lists, [i] from 0: machine.nodes, dynamic.shrink[2].erlang.mean.
// A key with a dot in it is written ["1.5"]. The name of a distribution or a speedup may be left out of the way to its
// parameters: jobs.service[2].scv. The value is YAML; null removes the key, or empties the entry of a list.
type Set struct {
	Path, Value string

	flag string // as it was written, if not as --set PATH=VALUE
}

// ParseSet splits PATH=VALUE.
func ParseSet(s string) (Set, error) {
	path, value, ok := strings.Cut(s, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return Set{}, fmt.Errorf("spec: %q is not a setting; write PATH=VALUE, such as machine.nodes=16", s)
	}
	if _, err := parsePath(path); err != nil {
		return Set{}, fmt.Errorf("spec: setting %q: %w", s, err)
	}
	return Set{Path: path, Value: value}, nil
}

// ParseOver splits PATH=VALUES, the values of an axis of a study, see [Axis]: a list without its brackets, in which A:B
// and A:B:STEP stand for ranges.
func ParseOver(s string) (Set, error) {
	path, values, ok := strings.Cut(s, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" || strings.TrimSpace(values) == "" {
		return Set{}, fmt.Errorf("spec: %q is not an axis; write PATH=VALUES, such as machine.nodes=8,16,32", s)
	}
	if _, err := parsePath(path); err != nil {
		return Set{}, fmt.Errorf("spec: axis %q: %w", s, err)
	}
	return Set{Path: "over[" + strconv.Quote(path) + "]", Value: "[" + values + "]", flag: "--over " + s}, nil
}

// SetLoads returns the setting that gives a study its loads: numbers and ranges A:B:STEP, separated by commas.
func SetLoads(s string) Set { return Set{Path: "load", Value: "[" + s + "]", flag: "--load " + s} }

// String returns PATH=VALUE.
func (s Set) String() string { return s.Path + "=" + s.Value }

// origin returns the setting as a flag, which is what messages call it.
func (s Set) origin() string {
	if s.flag != "" {
		return s.flag
	}
	return "--set " + s.String()
}

// key returns the first key of the path, "" if it has none.
func (s Set) key() string {
	steps, err := parsePath(s.Path)
	if err != nil {
		return ""
	}
	return steps[0].key
}

// step is one part of a path: a key, or the index of a list if it is not negative.
type step struct {
	key   string
	index int
}

func (s step) String() string {
	if s.index >= 0 {
		return "[" + strconv.Itoa(s.index) + "]"
	}
	return keyStep(s.key)
}

// parsePath reads a.b[2].c["1.5"].
func parsePath(path string) ([]step, error) {
	var steps []step
	for rest := path; rest != ""; {
		if rest[0] == '[' {
			s, tail, err := parseIndex(rest)
			if err != nil {
				return nil, err
			}
			steps, rest = append(steps, s), tail
			continue
		}
		if len(steps) > 0 {
			if rest[0] != '.' {
				return nil, fmt.Errorf("expected . or [ before %q", rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("a part of the path %q is empty", path)
		}
		steps, rest = append(steps, step{rest[:end], -1}), rest[end:]
	}
	if len(steps) == 0 || len(steps) > maxDepth {
		return nil, fmt.Errorf("the path %q is not a path to a value", path)
	}
	return steps, nil
}

// parseIndex reads [2] or ["key"] at the start of s.
func parseIndex(s string) (step, string, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err == nil && strings.HasPrefix(s[1+len(quoted):], "]") {
			key, err := strconv.Unquote(quoted)
			return step{key, -1}, s[len(quoted)+2:], err
		}
		return step{}, "", fmt.Errorf("%s has no end", s)
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return step{}, "", fmt.Errorf("%s has no end", s)
	}
	i, err := strconv.Atoi(s[1:end])
	if err != nil || i < 0 {
		return step{}, "", fmt.Errorf("%s is not an index; entries are counted from 0", s[:end+1])
	}
	return step{"", i}, s[end+1:], nil
}

// apply puts the settings of flags into the tree; relative paths in their values refer to the working directory.
func apply(root *node, sets []Set, errs *collector) *node {
	for _, s := range sets {
		src := &source{name: s.origin(), dir: ".", flag: true, lines: strings.Split(s.Value, "\n")}
		steps, err := parsePath(s.Path)
		if err != nil {
			errs.add(src.fault(0, 0, s.Path, err.Error(), ""))
			continue
		}
		value := &node{src: src}
		if strings.TrimSpace(s.Value) != "" {
			value = readYAML(src, []byte(s.Value), errs)
		}
		if value != nil {
			root = place(root, steps, value, src, errs)
		}
	}
	return root
}

// place returns the tree with value at the end of steps. What is on the way is copied, as aliases may share it; keys
// that are missing are made.
func place(root *node, steps []step, value *node, src *source, errs *collector) *node {
	p := placing{value: value, src: src}
	changed := p.put(root, steps)
	if p.problem != "" {
		errs.add(src.fault(value.line, value.col, p.path(), p.problem, p.remedy))
		return root
	}
	return changed
}

type placing struct {
	value           *node
	src             *source
	way             []step
	problem, remedy string
}

func (p *placing) path() string {
	var b strings.Builder
	for _, s := range p.way {
		b.WriteString(s.String())
	}
	return strings.TrimPrefix(b.String(), ".")
}

func (p *placing) put(n *node, steps []step) *node {
	if len(steps) == 0 {
		return p.value
	}
	s := steps[0]
	if n == nil || n.kind == null {
		if s.index >= 0 {
			p.problem = "there is no list here"
			return n
		}
		n = &node{src: p.src, line: p.value.line, col: p.value.col, kind: mapping}
	}
	if s.index < 0 && n.impliesFamily(s.key) {
		s, steps = step{n.entries[0].key.value, -1}, append([]step{s}, steps...)
	}
	p.way = append(p.way, s)
	if s.index >= 0 {
		return p.putItem(n, s.index, steps[1:])
	}
	return p.putEntry(n, s.key, steps[1:])
}

// impliesFamily reports whether n is a distribution or a speedup in which key is looked for as a parameter.
func (n *node) impliesFamily(key string) bool {
	if n.kind != mapping || len(n.entries) != 1 || n.entries[0].value.kind != mapping {
		return false
	}
	kinds := append(append([]string(nil), families...), speedups...)
	return slices.Contains(kinds, n.entries[0].key.value) && !slices.Contains(kinds, key)
}

// refuse says what is wrong with the node before the last step.
func (p *placing) refuse(problem string) {
	p.problem, p.way = problem, p.way[:len(p.way)-1]
}

func (p *placing) putItem(n *node, i int, rest []step) *node {
	if n.kind != list {
		p.refuse("there is no list here, but " + n.kind.String())
		return n
	}
	if i >= len(n.items) {
		p.problem = fmt.Sprintf("the list has %d entries, counted from 0", len(n.items))
		return n
	}
	changed := *n
	changed.items = append([]*node(nil), n.items...)
	changed.items[i] = p.put(n.items[i], rest)
	return &changed
}

func (p *placing) putEntry(n *node, key string, rest []step) *node {
	if n.kind != mapping {
		p.refuse("there is no mapping here, but " + n.kind.String())
		if n.kind == list {
			p.remedy = "name an entry, such as [0]"
		}
		return n
	}
	changed := *n
	changed.entries = nil
	done := false
	for _, e := range n.entries {
		if e.key.value == key {
			done = true
			if e.value = p.put(e.value, rest); len(rest) == 0 && e.value.kind == null {
				continue
			}
			e.key = p.keyed(e.key, len(rest) == 0)
		}
		changed.entries = append(changed.entries, e)
	}
	if v := (*node)(nil); !done {
		if v = p.put(nil, rest); len(rest) > 0 || v.kind != null {
			k := &node{src: p.src, line: p.value.line, col: p.value.col, kind: text, value: key}
			changed.entries = append(changed.entries, entry{k, v})
		}
	}
	return &changed
}

// keyed returns the key of a value that was replaced, at the place of the setting, so that mistakes point there.
func (p *placing) keyed(key *node, replaced bool) *node {
	if !replaced {
		return key
	}
	k := *key
	k.src, k.line, k.col = p.src, p.value.line, p.value.col
	return &k
}
