package pbs

import (
	"bytes"
	"math"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Amounts are the nodes, CPUs and GPUs of a job. Sums that no machine has, of TooMany or more, count as TooMany.
type Amounts struct{ Nodes, CPUs, GPUs uint64 }

// TooMany is the least number of nodes, CPUs or GPUs that is not read: job logs hold 32 bits for each. Damaged lists have such
// numbers.
const TooMany = math.MaxUint32

// add adds amounts of many nodes. Each number is at most TooMany, so that a product does not overflow.
func (a *Amounts) add(many uint64, each Amounts) {
	a.CPUs = min(TooMany, a.CPUs+many*each.CPUs)
	a.GPUs = min(TooMany, a.GPUs+many*each.GPUs)
}

// number returns the whole number that a text begins with, at most TooMany, and the text behind it. ok is false if the text begins
// with no digit.
func number(text []byte) (n uint64, rest []byte, ok bool) {
	small, rest, ok := logtext.LeadingNumber(text)
	if ok {
		return uint64(small), rest, true
	}
	rest = bytes.TrimLeft(text, "0123456789")
	return TooMany, rest, len(rest) < len(text)
}

// Hosts returns the number of different hosts in a list such as n1/0+n1/1+n2/0, n1/0-7+n2/0-7 or n1/0*8+n2/0*8, and the number of
// CPUs on them. GPUs is 0. Lists of GPUs, such as n1-gpu/0+n1-gpu/1, have the same form; CPUs is the number of GPUs then.
func Hosts(list []byte) (a Amounts) {
	seen := map[string]bool{}
	for item := range bytes.SplitSeq(list, []byte("+")) {
		host, places, _ := bytes.Cut(item, []byte("/"))
		if len(host) > 0 {
			seen[string(host)] = true
		}
		a.add(1, Amounts{CPUs: slots(places)})
	}
	a.Nodes = uint64(len(seen))
	return a
}

// Places returns the number of places in a list of hosts, such as the GPUs n1/0+n1/1; ok is false for TooMany.
func Places(list []byte) (n uint32, ok bool) {
	places := Hosts(list).CPUs
	return uint32(places), places < TooMany
}

// slots returns the number of CPUs that places on a host such as 3, 0-7, 0-3,5 or 0*8 name, at most TooMany.
func slots(places []byte) (n uint64) {
	if _, many, ok := bytes.Cut(places, []byte("*")); ok {
		n, _, ok := number(many)
		if !ok {
			return 0
		}
		return n
	}
	for one := range bytes.SplitSeq(places, []byte(",")) {
		from, rest, ok := number(one)
		if !ok {
			continue
		}
		n++
		if len(rest) > 1 && rest[0] == '-' {
			if to, _, ok := number(rest[1:]); ok && to > from {
				n += to - from
			}
		}
	}
	return min(n, TooMany)
}

// Chunks returns the sums over a list of chunks that a job asked for, such as 2:ppn=8:gpus=1+node7:ppn=4 or 2:ncpus=8:ngpus=1. A
// chunk is a node with one CPU and no GPU, unless the list says otherwise.
func Chunks(text []byte) (a Amounts) {
	for len(text) > 0 {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte("+"))
		first, rest, _ := bytes.Cut(item, []byte(":"))
		many, tail, isNumber := number(first)
		if !isNumber || len(tail) > 0 { // the name of a node, or ncpus=8
			many = 1
			if bytes.IndexByte(first, '=') >= 0 {
				rest = item
			}
		}
		each := Amounts{CPUs: 1}
		each.take(rest)
		a.Nodes = min(TooMany, a.Nodes+many)
		a.add(many, each)
	}
	return a
}

// take sets a.CPUs and a.GPUs from a list of resources such as ncpus=8:mem=4gb:ngpus=2. A number that the list does not give stays.
func (a *Amounts) take(resources []byte) {
	for one := range bytes.SplitSeq(resources, []byte(":")) {
		name, value, _ := bytes.Cut(one, []byte("="))
		n, _, isNumber := number(value)
		switch {
		case !isNumber:
		case bytes.Equal(name, []byte("ppn")), bytes.Equal(name, []byte("ncpus")):
			a.CPUs = n
		case bytes.Equal(name, []byte("gpus")), bytes.Equal(name, []byte("ngpus")):
			a.GPUs = n
		}
	}
}

// Vnodes returns the sums over a list of the virtual nodes of a job, such as (a[0]:ncpus=8:ngpus=1+a[1]:ncpus=8)+(b:ncpus=16).
// Virtual nodes whose names differ only in the number in brackets count as one node.
func Vnodes(list []byte) (a Amounts) {
	seen := map[string]bool{}
	for item := range bytes.SplitSeq(list, []byte("+")) {
		name, resources, _ := bytes.Cut(bytes.Trim(item, "()"), []byte(":"))
		node, _, _ := bytes.Cut(name, []byte("["))
		if len(node) == 0 {
			continue
		}
		seen[string(node)] = true
		var each Amounts
		each.take(resources)
		a.add(1, each)
	}
	a.Nodes = uint64(len(seen))
	return a
}
