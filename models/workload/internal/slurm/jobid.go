// Package slurm reads numbers of jobs and lists of resources as Slurm writes them.
package slurm

import (
	"bytes"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// JobID is the number of a job, such as 123. A task of an array is 123_4, and a component of a heterogeneous job 123+1. Tasks of
// an array that wait together are 123_[5-9%2]. The number of a step of a job ends with a point and the name of the step, such as
// .batch.
type JobID struct {
	Number, Task, Component uint32
	HasTask, HasComponent   bool
	IsWaitingArray          bool
	IsStep                  bool
}

// ParseJobID reads the number of a job or of a step. ok is false if the text has no form that [JobID] describes.
func ParseJobID(text []byte) (id JobID, ok bool) {
	var rest []byte
	if id.Number, rest, ok = logtext.LeadingNumber(text); !ok {
		return id, false
	}
	if len(rest) > 0 && rest[0] == '_' {
		rest = rest[1:]
		if len(rest) > 0 && rest[0] == '[' {
			end := bytes.IndexByte(rest, ']')
			if end < 0 {
				return id, false
			}
			id.IsWaitingArray, rest = true, rest[end+1:]
		} else if id.Task, rest, id.HasTask = logtext.LeadingNumber(rest); !id.HasTask {
			return id, false
		}
	}
	if len(rest) > 0 && rest[0] == '+' {
		if id.Component, rest, id.HasComponent = logtext.LeadingNumber(rest[1:]); !id.HasComponent {
			return id, false
		}
	}
	id.IsStep = len(rest) > 1 && rest[0] == '.'
	return id, id.IsStep || len(rest) == 0
}
