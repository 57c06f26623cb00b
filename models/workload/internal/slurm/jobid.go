// Package slurm reads numbers of jobs and lists of resources as Slurm writes them.
package slurm

import (
	"bytes"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// JobID is a number of a job: 123, 123_4 (a task of an array), 123+1 (a component of a heterogeneous job), each with .batch and so on behind it
// for a step of the job. Tasks of an array that wait together are 123_[5-9%2].
type JobID struct {
	Number, Task, Component uint32
	HasTask, HasComponent   bool
	IsWaitingArray          bool
	IsStep                  bool
}

// ParseJobID reads a number of a job.
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
