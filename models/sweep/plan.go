package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Plan is what a sweep is about.
type Plan struct {
	// Configuration is all that results depend on. A journal is continued only under the same configuration.
	Configuration []Setting `json:"configuration"`
	// Layout says how results are laid out; it follows from the configuration.
	Layout json.RawMessage `json:"layout"`
	Points int             `json:"points"` // of all shards together
	Shard  Shard           `json:"shard"`
}

// Setting is one part of a configuration.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// changed returns a [*ChangedError] if two configurations differ: the settings of the second in their order, then the
// settings that it lacks.
func changed(file string, was, is []Setting) error {
	before, now := valuesOf(was), valuesOf(is)
	var changes []string
	for _, s := range is {
		switch old, known := before[s.Name]; {
		case !known:
			changes = append(changes, fmt.Sprintf("%s is %s, was not there", s.Name, short(s.Value)))
		case old != s.Value:
			changes = append(changes, fmt.Sprintf("%s is %s, was %s", s.Name, short(s.Value), short(old)))
		}
	}
	for _, s := range was {
		if _, known := now[s.Name]; !known {
			changes = append(changes, fmt.Sprintf("%s is gone, was %s", s.Name, short(s.Value)))
		}
	}
	if changes == nil {
		return nil
	}
	return &ChangedError{file, changes}
}

// valuesOf returns the values of settings by their names.
func valuesOf(settings []Setting) map[string]string {
	values := make(map[string]string, len(settings))
	for _, s := range settings {
		values[s.Name] = s.Value
	}
	return values
}

// short returns a value of a setting, or its first 60 characters if it is longer, so that a message fits the screen.
func short(value string) string {
	const most = 60
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}

// ChangedError says that a journal belongs to another configuration.
type ChangedError struct {
	File    string
	Changes []string // what each setting is and was
}

// Error lists the first ten settings that differ, with what they are and were.
func (e *ChangedError) Error() string {
	const most = 10
	lines := append([]string{e.File + " is of another configuration:"}, e.Changes[:min(len(e.Changes), most)]...)
	if more := len(e.Changes) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n  ")
}

// Shard is one of Count shares of the points, counted from 1; the zero value has all points. The shares get the points in
// turn, because points that take long often stand together.
type Shard struct{ Index, Count int }

// MostShards bounds the shares of a sweep.
const MostShards = 100_000

// ParseShard reads a shard as --shard takes it, I/N such as 1/4. The error says what is wrong with the numbers.
func ParseShard(s string) (Shard, error) {
	index, count, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	switch {
	case !ok || errI != nil || errN != nil:
		return Shard{}, fmt.Errorf("sweep: %q is not a shard; write I/N, such as 1/4", s)
	case n < 1 || n > MostShards:
		return Shard{}, fmt.Errorf("sweep: shard %q: there can be 1 to %d shards", s, MostShards)
	case i < 1 || i > n:
		return Shard{}, fmt.Errorf("sweep: shard %q: shards are counted from 1 to %d", s, n)
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
	switch {
	case s == nil:
		return errors.New("sweep: there is no shard to read into")
	case len(text) == 0:
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
