package joblog

import (
	"bytes"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// resources are the names of units in lists of resources, in the order of units.
var resources = [len(units)]string{"node", "cpu", "gres/gpu"}

// parseTRES reads how many of each unit a list such as cpu=8,mem=4G,node=2,gres/gpu=4 holds: for GPUs those of all types if the list has no
// sum.
func parseTRES(text []byte) (in [len(units)]amount) {
	var typed [len(units)]uint32
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte(","))
		item = bytes.TrimSpace(item)
		name, value, found := bytes.Cut(item, []byte("="))
		if !found && !logtext.IsUnknown(item) {
			for k := range in {
				in[k].unreadable = true
			}
			return in
		}
		for k, resource := range resources {
			after, isResource := bytes.CutPrefix(name, []byte(resource))
			if !isResource || len(after) > 0 && after[0] != ':' {
				continue
			}
			n, ok := logtext.Count(value)
			switch {
			case !ok:
				in[k].unreadable = true
			case len(after) > 0:
				typed[k] += n
			default:
				in[k].n = n
			}
		}
	}
	for k := range in {
		switch {
		case in[k].unreadable:
			in[k].n = 0
		case in[k].n == 0:
			in[k].n = typed[k]
		}
	}
	return in
}
