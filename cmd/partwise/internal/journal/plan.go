package journal

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Plan is what a sweep is about.
type Plan struct {
	// Configuration is all that results depend on. A journal is continued only under the same one.
	Configuration []Setting `json:"configuration"`
	// Layout is what the results are laid out by; it follows from the configuration.
	Layout json.RawMessage `json:"layout"`
	Points int             `json:"points"` // of all shards together
	Shard  Shard           `json:"shard"`
}

// Setting is one part of a configuration.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Change is a setting that differs between two configurations.
type Change struct {
	Name    string
	Was, Is *string // nil where the setting is missing
}

// String says what the setting was and is.
func (c Change) String() string {
	switch {
	case c.Was == nil:
		return fmt.Sprintf("%s is %s, was not there", c.Name, short(*c.Is))
	case c.Is == nil:
		return fmt.Sprintf("%s is gone, was %s", c.Name, short(*c.Was))
	}
	return fmt.Sprintf("%s is %s, was %s", c.Name, short(*c.Is), short(*c.Was))
}

// short leaves out what would fill the screen.
func short(value string) string {
	const most = 60
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}

// changed returns a [*ChangedError] if two configurations differ: the settings in the order of the second, then those it
// lacks.
func changed(file string, was, is []Setting) error {
	var changes []Change
	find := func(all []Setting, name string) *string {
		// Of settings of one name the last counts.
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].Name == name {
				return &all[i].Value
			}
		}
		return nil
	}
	for _, s := range is {
		if old := find(was, s.Name); old == nil || *old != s.Value {
			changes = append(changes, Change{s.Name, old, &s.Value})
		}
	}
	for _, s := range was {
		if find(is, s.Name) == nil {
			changes = append(changes, Change{Name: s.Name, Was: &s.Value})
		}
	}
	if changes == nil {
		return nil
	}
	return &ChangedError{file, changes}
}

// ChangedError says that a journal belongs to another configuration.
type ChangedError struct {
	File    string
	Changes []Change
}

func (e *ChangedError) Error() string {
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "%s is of another configuration:", e.File)
	for i, c := range e.Changes {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Changes)-most)
			break
		}
		b.WriteString("\n  " + c.String())
	}
	return b.String()
}

// Shard is one of Count shares of the points, counted from 1; the zero value is all of them. The points are dealt out
// in turn, as those that take long often stand together.
type Shard struct{ Index, Count int }

// MostShards bounds the shares of a sweep.
const MostShards = 100_000

// ParseShard reads I/N.
func ParseShard(s string) (Shard, error) {
	index, count, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	switch {
	case !ok || errI != nil || errN != nil:
		return Shard{}, fmt.Errorf("journal: %q is not a shard; write I/N, such as 1/4", s)
	case n < 1 || n > MostShards:
		return Shard{}, fmt.Errorf("journal: shard %q: there can be 1 to %d shards", s, MostShards)
	case i < 1 || i > n:
		return Shard{}, fmt.Errorf("journal: shard %q: shards are counted from 1 to %d", s, n)
	}
	return Shard{i, n}, nil
}

// String returns I/N, "" for all points.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// MarshalText writes the shard as String does.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Shard) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*s = Shard{}
		return nil
	}
	*s, err = ParseShard(string(text))
	return err
}

// Holds reports whether the point belongs to the shard.
func (s Shard) Holds(point int) bool { return s.Count == 0 || point%s.Count == s.Index-1 }

// File names the file of a shard of the sweep that is to become path.
func (s Shard) File(path string) string {
	if s.Count == 0 {
		return path
	}
	return fmt.Sprintf("%s.shard-%d-of-%d", path, s.Index, s.Count)
}
