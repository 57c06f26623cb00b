package joblog

import (
	"bytes"
	"strconv"
)

// setCray sets the size of a job on a Cray, if it asked for processing elements. The only host of such a job may be the node that started it.
func (r *pbsReader) setCray(f *fields, row int) {
	if f[elements] == nil {
		return
	}
	count := func(r role) uint32 {
		n, _, _ := leadingNumber(f[r])
		return n
	}
	nodes := count(elementNodes)
	if each := count(elementsPerNode); nodes == 0 && each > 0 {
		nodes = (count(elements) + each - 1) / each
	}
	hosts, _ := hostsOf(f[hostList], InNodes)
	switch {
	case nodes == 0:
		r.note(missingNodes, row)
	case nodes > hosts:
		f[hostList] = nil
		f[allocNodes] = strconv.AppendUint(nil, uint64(nodes), 10)
	}
	if cpus := count(elements) * max(1, count(elementDepth)); cpus > count(processors) {
		f[processors] = strconv.AppendUint(nil, uint64(cpus), 10)
	}
}

// hostsOf counts the hosts in a list such as n1/0+n1/1+n2/0, n1/0-7+n2/0-7 or n1/0*8+n2/0*8, or the processors on them.
func hostsOf(list []byte, of Unit) (n uint32, ok bool) {
	seen := map[string]bool{}
	slots := uint32(0)
	for item := range bytes.SplitSeq(list, []byte("+")) {
		host, places, _ := bytes.Cut(item, []byte("/"))
		if len(host) > 0 {
			seen[string(host)] = true
		}
		slots += slotsOf(places)
	}
	if of == InCPUs {
		return slots, true
	}
	return uint32(len(seen)), true
}

// slotsOf counts the processors in 3, 0-7, 0-3,5 or 0*8.
func slotsOf(places []byte) (n uint32) {
	if _, many, ok := bytes.Cut(places, []byte("*")); ok {
		n, _, _ := leadingNumber(many)
		return n
	}
	for one := range bytes.SplitSeq(places, []byte(",")) {
		from, rest, ok := leadingNumber(one)
		if !ok {
			continue
		}
		n++
		if len(rest) > 1 && rest[0] == '-' {
			if to, _, ok := leadingNumber(rest[1:]); ok && to > from {
				n += to - from
			}
		}
	}
	return n
}

// chunksOf counts what a job asked for, such as 2:ppn=8:gpus=1+node7:ppn=4 or 2:ncpus=8:ngpus=1.
func chunksOf(text []byte) (in [len(units)]amount) {
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte("+"))
		first, rest, _ := bytes.Cut(item, []byte(":"))
		many, tail, isNumber := leadingNumber(first)
		if !isNumber || len(tail) > 0 { // the name of a node, or ncpus=8
			many = 1
			if bytes.IndexByte(first, '=') >= 0 {
				rest = item
			}
		}
		each := map[Unit]uint32{InNodes: 1, InCPUs: 1}
		for one := range bytes.SplitSeq(rest, []byte(":")) {
			name, value, _ := bytes.Cut(one, []byte("="))
			if n, _, isNumber := leadingNumber(value); isNumber {
				each[chunkUnits[string(name)]] = n
			}
		}
		for k, u := range units {
			in[k].n += many * each[u]
		}
	}
	return in
}

// cpusOfChunks counts the CPUs in such a list.
func cpusOfChunks(text []byte, _ Unit) (n uint32, ok bool) { return chunksOf(text)[atCPUs].n, true }

// chunkUnits are what the resources of a chunk count.
var chunkUnits = map[string]Unit{"ppn": InCPUs, "ncpus": InCPUs, "gpus": InGPUs, "ngpus": InGPUs}
