package overheadscmd

import (
	"fmt"
	"strconv"
	"strings"
)

// Overheads returns the lists of overheads of a model file, in seconds and with the SCV scv: the entries shrink and, on a
// machine of several partitions, expand of its section dynamic. The first entry of shrink is null: run times include the
// launch of an application on an empty machine.
func (s Steps) Overheads(nodes, unit int, scv float64) (string, error) {
	shrink, err := s.Shrink(nodes, unit)
	if err != nil {
		return "", err
	}
	expand, err := s.Expand(nodes, unit)
	if err != nil {
		return "", err
	}
	means := append([]string{"null"}, seconds(shrink[1:])...)
	text := fmt.Sprintf("  shrink: {means: [%s], scv: %s}\n", strings.Join(means, ", "), strconv.FormatFloat(scv, 'g', -1, 64))
	if len(expand) > 0 {
		text += fmt.Sprintf("  expand: {means: [%s], scv: %s}\n", strings.Join(seconds(expand), ", "), strconv.FormatFloat(scv, 'g', -1, 64))
	}
	return text, nil
}

// seconds writes how long repartitions take.
func seconds(rows []Row) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%#.4gs", r.Total))
	}
	return all
}
