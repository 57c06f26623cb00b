package modelfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/modelfile/tree"
)

// Set is a setting PATH=VALUE that replaces a value of a file before it is decoded.
//
// The path names keys, joined by dots, and entries of lists, [i] from 0: machine.nodes, dynamic.shrink[2].erlang.mean.
// A key with a dot in it is written ["1.5"]. The name of a distribution or a speedup may be left out of the way to its
// parameters: jobs.service[2].scv. The value is YAML; null removes the key, or empties the entry of a list.
type Set = tree.Set

// ParseSet splits PATH=VALUE.
func ParseSet(s string) (Set, error) {
	path, value, ok := strings.Cut(s, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return Set{}, fmt.Errorf("modelfile: %q is not a setting; write PATH=VALUE, such as machine.nodes=16", s)
	}
	if _, err := tree.ParsePath(path); err != nil {
		return Set{}, fmt.Errorf("modelfile: setting %q: %w", s, err)
	}
	return Set{Path: path, Value: value}, nil
}

// ParseOver splits PATH=VALUES, the values of an axis of a study, see [Axis]: a list without its brackets, in which A:B
// and A:B:STEP stand for ranges.
func ParseOver(s string) (Set, error) {
	path, values, ok := strings.Cut(s, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" || strings.TrimSpace(values) == "" {
		return Set{}, fmt.Errorf("modelfile: %q is not an axis; write PATH=VALUES, such as machine.nodes=8,16,32", s)
	}
	if _, err := tree.ParsePath(path); err != nil {
		return Set{}, fmt.Errorf("modelfile: axis %q: %w", s, err)
	}
	return Set{Path: "over[" + strconv.Quote(path) + "]", Value: "[" + values + "]", Flag: "--over " + s}, nil
}

// SetLoads returns the setting that gives a study its loads: numbers and ranges A:B:STEP, separated by commas.
func SetLoads(s string) Set { return Set{Path: "load", Value: "[" + s + "]", Flag: "--load " + s} }
