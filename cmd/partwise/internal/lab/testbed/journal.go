package testbed

// Entry is what became of a job.
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

// note tells what becomes of a job.
func (r *run) note(a *application, event Event) {
	if r.Told != nil {
		r.Told(Entry{r.now(), a.ID, event, len(a.nodes)})
	}
}
