package tree

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/words"
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
	return strings.TrimPrefix(strings.Join(words.Texts(p, Step.String), ""), ".")
}

// stepForm matches a step at the beginning of a path: a key, [2], ["key"] or [name].
var stepForm = regexp.MustCompile(`^(?:([^.\[]+)|\[("(?:[^"\\]|\\.)*")\]|\[([^"\]][^\]]*|)\])`)

// ParsePath reads a path such as a.b[2].c["1.5"] or a[name].b.
func ParsePath(path string) (Path, error) {
	var steps Path
	for rest := path; rest != ""; {
		next, dotted := strings.CutPrefix(rest, ".")
		if len(steps) > 0 && !dotted && rest[0] != '[' {
			return nil, fmt.Errorf("expected . or [ before %q", rest)
		}
		m := stepForm.FindStringSubmatch(next)
		switch {
		case m == nil && strings.HasPrefix(next, "["):
			return nil, fmt.Errorf("%s has no end", next)
		case m == nil, dotted && (len(steps) == 0 || m[1] == ""):
			return nil, fmt.Errorf("a part of the path %q is empty", path)
		}
		step, err := stepOf(m)
		if err != nil {
			return nil, err
		}
		steps, rest = append(steps, step), next[len(m[0]):]
	}
	if len(steps) == 0 || len(steps) > maxDepth {
		return nil, fmt.Errorf("the path %q is not a path to a value", path)
	}
	return steps, nil
}

// stepOf returns the step of a match of stepForm.
func stepOf(m []string) (Step, error) {
	key, quoted, text := m[1], m[2], m[3]
	switch {
	case key != "":
		return KeyStep(key), nil
	case quoted != "":
		key, err := strconv.Unquote(quoted)
		return KeyStep(key), err
	case text != "" && !strings.ContainsAny(text[:1], "+-0123456789"):
		return KeyStep(text), nil
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 {
		return Step{}, fmt.Errorf("%s is neither an index, counted from 0, nor a name", m[0])
	}
	return Step{Index: i}, nil
}
