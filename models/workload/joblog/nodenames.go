package joblog

import (
	"fmt"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// NodeNames returns the names of the nodes in a list as Slurm or PBS writes it, each once and in the order of the list:
// n[1-3,07],login is n1, n2, n3, n07 and login; n1/0+n1/1+n2/0*8 is n1 and n2. The error says that the list
// cannot be read, or that it has more than a million names.
func NodeNames(list string) ([]string, error) {
	names, err := logtext.NodeNames(list)
	if err != nil {
		return nil, fmt.Errorf("joblog: %w", err)
	}
	return names, nil
}
