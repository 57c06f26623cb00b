package cluster

import (
	"errors"
	"fmt"
	"strings"
)

// Type is the kind of work that a job does, as shares of its time on a dedicated machine that sum to 1.
type Type struct {
	Name                     string
	Compute, IO, Communicate float64
}

// Types returns the types of table 1 of the paper, J1 to J6.
func Types() []Type {
	return []Type{{"J1", .35, .15, .50}, {"J2", .35, .50, .15}, {"J3", .35, .35, .30}, {"J4", .90, .05, .05},
		{"J5", .35, .05, .60}, {"J6", .65, .05, .30}}
}

// Mix is a workload: jobs are of each of its types with the same probability.
type Mix struct {
	Name  string
	Types []Type
}

// Summary returns the name of the workload, and the shares of each of its types: computation, input and output, and communication in
// per cent, as in "wl8 35/50/15, 90/5/5, 35/5/60".
func (m Mix) Summary() string {
	types := make([]string, len(m.Types))
	for i, t := range m.Types {
		types[i] = fmt.Sprintf("%.0f/%.0f/%.0f", 100*t.Compute, 100*t.IO, 100*t.Communicate)
	}
	return m.Name + " " + strings.Join(types, ", ")
}

// Mixes returns the workloads of table 2 of the paper, wl1 to wl8.
func Mixes() []Mix {
	j := Types()
	var all []Mix
	for i := range j {
		all = append(all, Mix{fmt.Sprintf("wl%d", i+1), j[i : i+1 : i+1]})
	}
	return append(all, Mix{"wl7", j}, Mix{"wl8", []Type{j[1], j[3], j[4]}})
}

// DefaultMix returns the workload of all types of jobs.
func DefaultMix() Mix { return Mixes()[6] }

// UnmarshalText reads the name of a workload of the paper, such as wl7, from the file of figures.
func (m *Mix) UnmarshalText(text []byte) error {
	if m == nil {
		return errors.New("there is no workload to read")
	}
	for _, *m = range Mixes() {
		if m.Name == string(text) {
			return nil
		}
	}
	return fmt.Errorf("there is no workload %q", text)
}

// Job is a job of as many processes as it needs nodes.
type Job struct {
	Arrival   float64 // seconds
	Nodes     int
	Dedicated float64 // seconds that it takes alone on the cluster without skew
	Type      Type
}

// LongestRun bounds all times, in seconds, so that nanoseconds are exact and never overflow.
const LongestRun = 1e9
