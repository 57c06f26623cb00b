package modelfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// ParseSet splits PATH=VALUE.
func ParseSet(s string) (Set, error) {
	path, value, ok := strings.Cut(s, "=")
	return setting(path, ok, Set{Value: value}, s, "setting", "a setting; write PATH=VALUE, such as machine.nodes=16")
}

// missingValue matches values the first of which is missing, or one between two others.
var missingValue = regexp.MustCompile(`^\s*,|,\s*,`)

// ParseOver splits PATH=VALUES, the values of an axis of a study, see [Axis]: a list without its brackets, in which A:B
// and A:B:STEP stand for ranges. The path "load" means the loads of the study, see [SetLoads].
func ParseOver(s string) (Set, error) {
	path, values, _ := strings.Cut(s, "=")
	if err := measure.CheckUnits(values); err != nil {
		return Set{}, fmt.Errorf("modelfile: %w", err)
	}
	if strings.TrimSpace(path) == "load" && strings.TrimSpace(values) != "" && !missingValue.MatchString(values) {
		loads := SetLoads(values)
		loads.Flag = "--over " + s
		return loads, nil
	}
	example := "machine.nodes=8,16,32"
	if strings.TrimSpace(path) == "load" {
		example = "load=0.1:0.9:0.1"
	}
	switch trimmed := strings.TrimSpace(path); {
	case trimmed != "" && strings.TrimSpace(values) == "" && strings.Contains(s, "="):
		return Set{}, fmt.Errorf("modelfile: %q has no values; write %s=VALUE,VALUE or a range %s=FROM:TO:STEP", s, trimmed, trimmed)
	case trimmed != "" && missingValue.MatchString(values):
		return Set{}, fmt.Errorf("modelfile: a value is missing in %q; separate values by single commas", s)
	}
	axis, err := setting(path, strings.TrimSpace(values) != "", Set{Value: "[" + values + "]", Flag: "--over " + s}, s, "axis",
		"an axis; write PATH=VALUES, such as "+example)
	axis.Path = "over[" + strconv.Quote(axis.Path) + "]"
	return axis, err
}

// setting returns a setting at a path, which has a value if ok. The error says what the text should be.
func setting(path string, ok bool, to Set, text, kind, form string) (Set, error) {
	if to.Path = strings.TrimSpace(path); !ok || to.Path == "" {
		return Set{}, fmt.Errorf("modelfile: %q is not %s", text, form)
	}
	if _, err := tree.ParsePath(to.Path); err != nil {
		return Set{}, fmt.Errorf("modelfile: %s %q: %w", kind, text, err)
	}
	return to, nil
}

// SetLoads returns the setting that gives a study its loads: numbers and ranges A:B:STEP, separated by commas.
func SetLoads(s string) Set {
	return Set{Path: "load", Value: "[" + s + "]", Flag: "--load " + s}
}
