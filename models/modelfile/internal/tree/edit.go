package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/words"
)

// Set is a setting that replaces the value at a path of a file before it is decoded. The value is YAML; null removes
// the key, or empties the entry of a list.
type Set struct {
	Path, Value string
	Flag        string // as it was written on the command line; --set PATH=VALUE if empty
}

// String returns PATH=VALUE.
func (s Set) String() string { return s.Path + "=" + s.Value }

// origin returns the setting as a flag, which is what messages call it.
func (s Set) origin() string {
	if s.Flag != "" {
		return s.Flag
	}
	return setFlag + s.String()
}

// setFlag is the flag of a setting, in front of its path.
const setFlag = "--set "

// Editor puts settings into trees.
type Editor struct {
	Errs *Collector
	// Implied are keys that paths may leave out where one of them stands alone in a mapping, such as that of a
	// distribution on the way to its parameters.
	Implied []string
	// Beside, if it is not nil, returns a mapping as it must be for a value at, or beneath, the path to one of its keys: keys
	// that exclude that one are gone.
	Beside func(mapping *Node, path string) *Node
}

// Apply returns the tree with the settings of flags in it; relative file names in their values refer to the working
// directory.
func (e *Editor) Apply(root *Node, sets []Set) *Node {
	for _, s := range sets {
		src := &Source{Name: s.origin(), dir: ".", flag: true, lines: strings.Split(s.Value, "\n")}
		path, err := ParsePath(s.Path)
		if err != nil {
			e.Errs.Add(src.mistake(0, 0, s.Path, err.Error(), ""))
			continue
		}
		value := &Node{Source: src}
		if strings.TrimSpace(s.Value) != "" {
			value = readYAML(src, []byte(s.Value), e.Errs)
		}
		if value != nil {
			root = e.Place(root, path, value)
		}
	}
	return root
}

// Place returns the tree with value at the end of the path. What is on the way is copied, as aliases may share it; keys
// that are missing are made.
func (e *Editor) Place(root *Node, path Path, value *Node) *Node {
	p := placing{Editor: e, value: value}
	changed := p.put(root, path)
	if p.problem != "" {
		e.Errs.Add(value.Source.mistake(value.Line, value.Column, p.way.String(), p.problem, p.remedy))
		return root
	}
	return changed
}

// placing is a value on its way into a tree.
type placing struct {
	*Editor
	value           *Node
	way             Path
	problem, remedy string
}

func (p *placing) put(n *Node, path Path) *Node {
	if len(path) == 0 {
		return p.value
	}
	s := path[0]
	if n.Kind == Null && s.Index < 0 {
		n = p.value.made(Mapping, "")
	}
	switch {
	case n.Kind == List:
		return p.putItem(n, p.index(n, s), path[1:])
	case n.Kind == Mapping && s.Index < 0 && p.passes(n, s.Key):
		return p.putEntry(n, n.Entries[0].Key.Value, path)
	case n.Kind == Mapping && s.Index < 0:
		return p.putEntry(n, s.Key, path[1:])
	}
	p.problem = "there is no mapping here, but " + n.Kind.String()
	if s.Index >= 0 {
		p.problem = "there is no list here, but " + n.Kind.String()
	}
	return n
}

// passes reports whether the way to key leads through the one key of n, which the path left out.
func (p *placing) passes(n *Node, key string) bool {
	return len(n.Entries) == 1 && n.Entries[0].Value.Kind == Mapping && slices.Contains(p.Implied, n.Entries[0].Key.Value) &&
		!slices.Contains(p.Implied, key)
}

// index returns the index of the entry of a list that a step leads to: the entry itself, or the one whose key name has a value.
func (p *placing) index(n *Node, s Step) int {
	if s.Index >= 0 {
		return s.Index
	}
	var names []string
	for i, item := range n.Items {
		if v := item.Lookup("name"); v != nil {
			if v.Value == s.Key {
				return i
			}
			names = append(names, v.Value)
		}
	}
	p.problem, p.remedy = "there is no mapping here, but a list", "name an entry, such as [0]"
	if names != nil {
		p.problem, p.remedy = fmt.Sprintf("no entry has the name %q", s.Key), words.Suggest(s.Key, names)
	}
	return -1
}

func (p *placing) putItem(n *Node, i int, rest Path) *Node {
	if i < 0 {
		return n
	}
	p.way = append(p.way, Step{Index: i})
	if i >= len(n.Items) {
		p.problem = fmt.Sprintf("the list has %d entries, counted from 0", len(n.Items))
		return n
	}
	changed := *n
	changed.Items = slices.Clone(n.Items)
	changed.Items[i] = p.put(n.Items[i], rest)
	return &changed
}

// putEntry places the value at a key, or beneath it. The key of a value that is replaced stands at the place of the setting,
// so that mistakes point there.
func (p *placing) putEntry(n *Node, key string, rest Path) *Node {
	p.way = append(p.way, KeyStep(key))
	if p.Beside != nil && p.value.Kind != Null {
		n = p.Beside(n, p.way.String())
	}
	changed := *n
	changed.Entries = slices.Clone(n.Entries)
	i := slices.IndexFunc(n.Entries, func(e Entry) bool { return e.Key.Value == key })
	if i < 0 {
		i, changed.Entries = len(n.Entries), append(changed.Entries, Entry{p.value.made(Text, key), p.value.made(Null, "")})
	}
	e := &changed.Entries[i]
	switch e.Value = p.put(e.Value, rest); {
	case len(rest) == 0 && e.Value.Kind == Null:
		changed.Entries = slices.Delete(changed.Entries, i, i+1)
	case len(rest) == 0:
		e.Key = p.value.made(e.Key.Kind, e.Key.Value)
	}
	return &changed
}
