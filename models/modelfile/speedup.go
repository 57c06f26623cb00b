package modelfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
)

// speedupNames returns the names of all speedups.
func speedupNames() []string {
	return words.Texts(workload.Speedups(), func(e workload.SpeedupEntry) string { return e.Name })
}

// speedupKeys are the names of the speedups that have parameters, the keys of a speedup written as a mapping.
var speedupKeys = slices.DeleteFunc(speedupNames(), func(name string) bool {
	e, _ := workload.SpeedupNamed(name)
	return len(e.Parameters) == 0 && !e.Points
})

// readSpeedup reads a speedup: a text such as linear or amdahl:0.05, as flags have it, or {amdahl: {serial: 0.05}}.
func readSpeedup(c *tree.Cursor) workload.Speedup {
	byNodes := func(e tree.Entry) bool { return measure.IsDecimal(e.Key.Value) }
	switch {
	case c.Kind == tree.Text:
		return speedupText(c)
	case c.Kind != tree.Mapping:
		c.Expected("a speedup", "write linear, or one such as {amdahl: {serial: 0.05}}")
		return nil
	case slices.ContainsFunc(c.Entries, byNodes):
		c.Fail("speedups by number of nodes", "write them as {table: {1: 1, 2: 1.95}}")
		return nil
	}
	c.Keys(speedupKeys...)
	name, body := c.OneOf(speedupKeys...)
	if !c.Valid() {
		return nil
	}
	e, _ := workload.SpeedupNamed(name)
	if e.Points {
		return speedupPoints(body, e)
	}
	return speedupParameters(body, e)
}

// speedupText reads a speedup written as flags have it.
func speedupText(c *tree.Cursor) workload.Speedup {
	s, err := workload.ParseSpeedup(c.Value)
	var wrong *workload.ParameterError
	name, _, _ := strings.Cut(c.Value, ":")
	switch _, known := workload.SpeedupNamed(name); {
	case !errors.As(err, &wrong):
	case !known:
		c.Expected("a speedup", wrong.Remedy)
	case wrong.Parameter != "":
		c.Failf("%s: %s", wrong.Parameter, wrong.Problem)
	default:
		c.Fail(wrong.Problem, wrong.Remedy)
	}
	return s
}

// speedupParameters reads the named numbers of a speedup and makes it.
func speedupParameters(c *tree.Cursor, e workload.SpeedupEntry) workload.Speedup {
	c.Keys(e.Parameters...)
	var numbers []float64
	for _, name := range e.Parameters {
		numbers = append(numbers, c.Need(name, "").Number())
	}
	s, err := workload.NewSpeedup(e.Name, numbers...)
	var wrong *workload.ParameterError
	switch {
	case err == nil || !c.Valid():
	case errors.As(err, &wrong):
		c.FailField(wrong.Parameter, wrong.Problem, "")
	default:
		c.Failf("%v", err)
	}
	return s
}

// speedupPoints reads a speedup as pairs of a number of nodes and its speedup.
func speedupPoints(c *tree.Cursor, e workload.SpeedupEntry) workload.Speedup {
	given := make(map[float64]bool)
	var numbers []float64
	c.Pairs("a table of speedups by number of nodes", "one such as {1: 1, 2: 1.95, 4: 3.7}", func(key, value *tree.Cursor) {
		n, isNumber := measure.ParseDecimal(key.Value)
		switch {
		case !isNumber || n < 1:
			key.Failf("is not a number of nodes")
		case given[n]:
			key.Failf("is given twice")
		default:
			given[n] = true
			speedup := value.Positive()
			if err := pointError(e, n, speedup); err != nil && value.Valid() {
				key.Failf("%v", err)
			}
			numbers = append(numbers, n, speedup)
		}
	})
	if c.Kind == tree.Mapping && len(c.Entries) == 0 {
		c.Failf("is empty")
	}
	if !c.Valid() {
		return nil
	}
	s, err := workload.NewSpeedup(e.Name, numbers...)
	if err != nil {
		c.Failf("%v", err)
	}
	return s
}

// pointError returns what is wrong with the speedup of a number of nodes by itself.
func pointError(e workload.SpeedupEntry, nodes, speedup float64) error {
	_, err := workload.NewSpeedup(e.Name, nodes, speedup)
	if wrong := (*workload.ParameterError)(nil); errors.As(err, &wrong) {
		return errors.New(wrong.Problem)
	}
	return err
}

// covers checks that a speedup is known for every n of sizes.
func covers(c *tree.Cursor, s workload.Speedup, sizes []float64) bool {
	least, most := slices.Min(sizes), slices.Max(sizes)
	t, ok := s.(workload.Ranged)
	if !ok || t.Covers(least) && t.Covers(most) {
		return true
	}
	at := c
	if c.Kind == tree.Mapping {
		at = c.Child(c.Entries[0].Key.Value, c.Entries[0].Value)
	}
	low, high := t.Range()
	at.Fail(fmt.Sprintf("covers %v to %v nodes; jobs run on %v to %v", low, high, least, most), "add the missing ends")
	return false
}
