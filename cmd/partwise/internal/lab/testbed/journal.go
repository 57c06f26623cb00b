package testbed

import (
	"encoding/json"
	"fmt"
)

// Entry is a line of a journal: what became of a job.
type Entry struct {
	At    float64 `json:"at"` // seconds from the beginning of the run
	Job   int     `json:"job"`
	Event Event   `json:"event"`
	Nodes int     `json:"nodes,omitempty"` // that it has from then on
}

// Event is what may become of a job.
type Event string

// The events.
const (
	Submitted Event = "submitted"
	Started   Event = "started"
	Resized   Event = "resized"
	Restarted Event = "restarted" // from what was kept, as a node was lost
	Ended     Event = "ended"
	Withdrawn Event = "cancelled"
)

// note writes a line of the journal.
func (r *run) note(a *application, event Event) {
	if r.Journal == nil {
		return
	}
	line, err := json.Marshal(Entry{r.now(), a.ID, event, len(a.nodes)})
	if err == nil {
		_, err = r.Journal.Write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("testbed: journal: %w", err)
	}
}
