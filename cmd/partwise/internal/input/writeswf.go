package input

import (
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/workload/joblog"
)

// WriteSWF writes jobs to a file, in Standard Workload Format.
func WriteSWF(file string, header *joblog.Header, jobs *joblog.List) error {
	return output.WriteFile(file, func(w io.Writer) error { return joblog.WriteSWF(w, header, jobs.All()) })
}
