package models

// Stops tells which jobs stand still during a repartition. The zero value means [AllStop].
type Stops string

// The jobs that may stand still.
const (
	AllStop     Stops = "all"     // all jobs, as in IPS96
	ResizedStop Stops = "resized" // the jobs that are resized, and the arriving job
)

// StopsMatter reports whether results depend on Stops. They do not if repartitions cost nothing, or if there are at most
// two partitions, so that each repartition resizes all jobs.
func (s *System) StopsMatter() bool { return !s.Free() && s.Partitions() > 2 }
