package cli

import (
	"math"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/models/spec"
)

// MostStudies bounds the studies of one command line.
const MostStudies = 100

// Share reads a flag between 0 and 1, also written as a percentage.
func (inv *Invocation) Share(name, hint string) (float64, error) {
	text := inv.Flags.String(name)
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) || math.IsInf(v, 0) {
		return 0, Usagef(hint, "--%s: %q is not a share between 0 and 1", name, text)
	}
	return v, nil
}

// SetFlag is --set, which [Invocation.Sets] reads.
func SetFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "set", Usage: "replace a value of the file, as in `PATH=VALUE`; may be repeated"}
}

// Load returns what --load says, 0 if it says nothing.
func (inv *Invocation) Load() (float64, error) {
	text := inv.Flags.String("load")
	if !inv.Flags.IsSet("load") {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, Usagef("for example --load 0.7", "--load: %q is not a positive number", text)
	}
	return v, nil
}

// Sets returns what --set replaces in the file.
func (inv *Invocation) Sets() ([]spec.Set, error) {
	var sets []spec.Set
	for _, text := range inv.Flags.StringSlice("set") {
		s, err := spec.ParseSet(text)
		if err != nil {
			return nil, Usagef("for example --set machine.nodes=16", "--set: %s", Plain(err))
		}
		sets = append(sets, s)
	}
	return sets, nil
}
