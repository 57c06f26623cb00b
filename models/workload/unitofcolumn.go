package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// unitInName matches the unit of time at the end of the name of a column, such as runtime [ms], runtime (min) and latency_us. A
// name that ends with _min or _s may mean something else.
var unitInName = logtext.NewPattern(`(?i)(?:[\[(]\s*(us|µs|μs|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?)\s*[\])]|` +
	`[_ .-](us|ms|secs?|seconds?|mins|minutes?|hrs|hours?|days?))\s*$`)

// unitsOfTime are the units by the first letters of their names, with their lengths in seconds. The first match counts.
var unitsOfTime = []struct {
	begin, name string
	seconds     float64
}{
	{"us", "us", 1e-6}, {"µs", "us", 1e-6}, {"μs", "us", 1e-6}, {"ms", "ms", 1e-3}, {"s", "s", 1}, {"m", "min", 60},
	{"h", "h", 3600}, {"d", "d", 86400},
}

// unitOfColumn returns the unit of time in the name of a column, such as ms in runtime [ms], and its length in seconds. The unit
// is "" if the name of the column has no unit.
func unitOfColumn(column string) (name string, seconds float64) {
	parts := unitInName().FindStringSubmatch(column)
	if parts == nil {
		return "", 0
	}
	unit := strings.ToLower(parts[1] + parts[2])
	for _, u := range unitsOfTime {
		if strings.HasPrefix(unit, u.begin) {
			return u.name, u.seconds
		}
	}
	return "", 0
}

// warnOfUnit adds a warning to s.columns.Remarks if the name of the column of the values has another unit than the unit in which
// numbers are read. It adds no warning if the first value c is not a plain number.
func (s *sampler) warnOfUnit(c *cell) {
	unit, seconds := unitOfColumn(c.column)
	_, err := strconv.ParseFloat(strings.TrimSpace(c.text), 64)
	if unit == "" || err != nil || math.Abs(s.columns.Second*seconds-1) < 1e-9 {
		return
	}
	s.columns.Remarks.Warnings = append(s.columns.Remarks.Warnings,
		fmt.Sprintf("the numbers of column %s are not read in %s; --time-unit %s reads them so", c.column, unit, unit))
}
