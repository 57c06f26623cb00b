package tree

import (
	"fmt"
	"strconv"
	"strings"
)

// Path leads from the root of a file to a value, such as jobs.service[2].scv. A key at a list is the name of an entry:
// jobs.classes[large].share.
type Path []Step

// Step is one part of a path: a key, or the index of an entry of a list if it is not negative.
type Step struct {
	Key   string
	Index int
}

// KeyStep returns the step to a key.
func KeyStep(key string) Step { return Step{key, -1} }

// String returns .key or [2]; a key that would be ambiguous is quoted, ["1.5"].
func (s Step) String() string {
	switch {
	case s.Index >= 0:
		return "[" + strconv.Itoa(s.Index) + "]"
	case s.Key == "" || strings.ContainsAny(s.Key, ".[]=\"' "):
		return "[" + strconv.Quote(s.Key) + "]"
	}
	return "." + s.Key
}

// String returns the path as messages name it.
func (p Path) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.String())
	}
	return strings.TrimPrefix(b.String(), ".")
}

// ParsePath reads a path such as a.b[2].c["1.5"] or a[name].b.
func ParsePath(path string) (Path, error) {
	var steps Path
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
		steps, rest = append(steps, KeyStep(rest[:end])), rest[end:]
	}
	if len(steps) == 0 || len(steps) > maxDepth {
		return nil, fmt.Errorf("the path %q is not a path to a value", path)
	}
	return steps, nil
}

// parseIndex reads [2], ["key"] or [name] at the start of s.
func parseIndex(s string) (Step, string, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err == nil && strings.HasPrefix(s[1+len(quoted):], "]") {
			key, err := strconv.Unquote(quoted)
			return KeyStep(key), s[len(quoted)+2:], err
		}
		return Step{}, "", fmt.Errorf("%s has no end", s)
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return Step{}, "", fmt.Errorf("%s has no end", s)
	}
	text := s[1:end]
	if text != "" && !strings.ContainsAny(text[:1], "+-0123456789") {
		return KeyStep(text), s[end+1:], nil
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 {
		return Step{}, "", fmt.Errorf("%s is neither an index, counted from 0, nor a name", s[:end+1])
	}
	return Step{Index: i}, s[end+1:], nil
}
