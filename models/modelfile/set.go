package modelfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// ParseSet splits PATH=VALUE.
func ParseSet(s string) (tree.Set, error) {
	path, value, ok := strings.Cut(s, "=")
	return setting(path, ok, tree.Set{Value: value}, s, "setting", "a setting; write PATH=VALUE, such as machine.nodes=16")
}

// ParseOver splits PATH=VALUES, the values of an axis of a study, see [Axis]: a list without its brackets, in which A:B
// and A:B:STEP stand for ranges.
func ParseOver(s string) (tree.Set, error) {
	path, values, _ := strings.Cut(s, "=")
	axis, err := setting(path, strings.TrimSpace(values) != "", tree.Set{Value: "[" + values + "]", Flag: "--over " + s}, s, "axis",
		"an axis; write PATH=VALUES, such as machine.nodes=8,16,32")
	axis.Path = "over[" + strconv.Quote(axis.Path) + "]"
	return axis, err
}

// setting returns a setting at a path, which has a value if ok. The error says what the text should be.
func setting(path string, ok bool, to tree.Set, text, kind, form string) (tree.Set, error) {
	if to.Path = strings.TrimSpace(path); !ok || to.Path == "" {
		return tree.Set{}, fmt.Errorf("modelfile: %q is not %s", text, form)
	}
	if _, err := tree.ParsePath(to.Path); err != nil {
		return tree.Set{}, fmt.Errorf("modelfile: %s %q: %w", kind, text, err)
	}
	return to, nil
}

// SetLoads returns the setting that gives a study its loads: numbers and ranges A:B:STEP, separated by commas.
func SetLoads(s string) tree.Set {
	return tree.Set{Path: "load", Value: "[" + s + "]", Flag: "--load " + s}
}
