package labcmd

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/lab"
)

// section returns the section dynamic of a model file, in seconds and with the SCV scv: the lists of overheads shrink and, on a
// machine of several partitions, expand. The first entry of shrink is null: run times include the launch of an application on an
// empty machine.
func (m *protocolMachine) section(scv float64) string {
	text := fmt.Sprintf("dynamic:   # %s of %s: partwise lab overheads\n  shrink: {means: [%s], scv: %v}\n", m.Title, words.Count(m.Nodes, "node"),
		strings.Join(append([]string{"null"}, seconds(m.shrink[1:])...), ", "), scv)
	if len(m.expand) > 0 {
		text += fmt.Sprintf("  expand: {means: [%s], scv: %v}\n", strings.Join(seconds(m.expand), ", "), scv)
	}
	return text
}

// seconds returns the times of repartitions as a model file writes them, with four digits and their unit.
func seconds(rows []lab.ProtocolRow) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%#.4gs", r.Total))
	}
	return all
}
