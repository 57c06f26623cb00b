package joblog

import (
	"strconv"

	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/pbs"
)

// setCray sets the size of a job on a Cray, if it asked for processing elements. The only host of such a job may be the node that
// started it.
func (r *pbsReader) setCray(f *fields, row int) {
	if f[elements] == nil {
		return
	}
	count := func(r role) uint64 {
		n, _, _ := logtext.LeadingNumber(f[r])
		return uint64(n)
	}
	nodes := count(elementNodes)
	if each := count(elementsPerNode); nodes == 0 && each > 0 {
		nodes = (count(elements) + each - 1) / each
	}
	switch {
	case nodes == 0:
		r.note(missingNodes, row)
	case nodes > pbs.Hosts(f[hostList]).Nodes:
		f[hostList], f[vnodes] = nil, nil
		f[allocNodes] = strconv.AppendUint(nil, nodes, 10)
	}
	if cpus := count(elements) * max(1, count(elementDepth)); cpus > count(processors) {
		f[processors] = strconv.AppendUint(nil, cpus, 10)
	}
}
