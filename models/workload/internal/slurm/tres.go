package slurm

import (
	"bytes"
	"math"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Amount is the number of nodes, CPUs or GPUs in a list of resources.
type Amount struct {
	N          uint32 // 0 if Unreadable
	Unreadable bool   // the list has this resource, but its number cannot be read
}

// AmountOf returns a number of nodes, CPUs or GPUs, which is unreadable from 2³² − 1 on: no machine has so many.
func AmountOf(n uint64) Amount {
	if n >= math.MaxUint32 {
		return Amount{Unreadable: true}
	}
	return Amount{N: uint32(n)}
}

// resources are the names of nodes, CPUs and GPUs in lists of resources.
var resources = [3]string{"node", "cpu", "gres/gpu"}

// ResourceName returns the name in an entry of a list of resources, such as mem in mem=8G. ok is false if the text is no such
// entry: Slurm's own resources have few names, and the names of others have a slash, such as gres/gpu and license/matlab.
func ResourceName(text []byte) (name string, ok bool) {
	before, _, ok := bytes.Cut(bytes.TrimSpace(text), []byte("="))
	switch name = string(before); name {
	case "node", "cpu", "mem", "vmem", "energy", "billing", "pages":
		return name, ok
	}
	return name, ok && bytes.IndexByte(before, '/') > 0
}

// ParseTRES returns the amounts of nodes, CPUs and GPUs, in this order, in a list such as cpu=8,mem=4G,node=2,gres/gpu=4. If the
// list has no sum of GPUs, it adds up the GPUs of all types, such as gres/gpu:a100=2. All three are unreadable if an entry has no
// number.
func ParseTRES(text []byte) (in [3]Amount) {
	var typed [3]uint64
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte(","))
		item = bytes.TrimSpace(item)
		name, value, found := bytes.Cut(item, []byte("="))
		if !found && !logtext.IsUnknown(item) {
			for k := range in {
				in[k].Unreadable = true
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
				in[k].Unreadable = true
			case len(after) > 0:
				typed[k] += uint64(n)
			default:
				in[k].N = n
			}
		}
	}
	for k := range in {
		switch {
		case in[k].Unreadable:
			in[k].N = 0
		case in[k].N == 0 && typed[k] >= math.MaxUint32: // no machine has so many
			in[k].Unreadable = true
		case in[k].N == 0:
			in[k].N = uint32(typed[k])
		}
	}
	return in
}
