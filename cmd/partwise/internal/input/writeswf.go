package input

import (
	"fmt"
	"io"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// WriteSWF writes the jobs of the selection to a file, in Standard Workload Format. In other formats, jobs may share a
// number: tasks of an array, attempts of a job, and jobs of several clusters. WriteSWF then numbers all jobs from 1,
// and tells the user.
func (l *Selection) WriteSWF(file string, jobs *joblog.List) error {
	header, given := l.Header, jobs.All()
	if l.Source.Format != joblog.SWF {
		numbered, anew := jobs.WithOwnNumbers()
		if given = numbered; anew {
			header.Comments = append(slices.Clip(header.Comments), " Note: jobs are numbered anew, because several had the same number")
			l.inv.Notef("%s: jobs are numbered from 1, because several jobs of %s have the same number", file, l.Name)
		}
	}
	return output.WriteFile(file, func(w io.Writer) error { return joblog.WriteSWF(w, &header, given) })
}

// Partition returns the selection of the jobs of one partition, on the nodes of the partition. The log must be in pools, and p one
// of them.
func (l *Selection) Partition(p *replay.Pool) (*Selection, error) {
	log, err := l.Pool(slices.IndexFunc(l.Pools.List, func(other replay.Pool) bool { return other.Name == p.Name }))
	if err != nil {
		return nil, err
	}
	log.Header.Comments = append(slices.Clip(log.Header.Comments), fmt.Sprintf(" Note: the jobs of partition %s", p.Name))
	part := *l
	part.Log = log
	return &part, nil
}
