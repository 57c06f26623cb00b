package logtext

import (
	"fmt"
	"strconv"
	"strings"
)

// mostNodeNames bounds the names in one list of nodes.
const mostNodeNames = 1 << 20

// NodeNames returns the names of the nodes in a list as Slurm or PBS writes it, each once and in the order of the list:
// n[1-3,07],login is n1, n2, n3, n07 and login; n1/0+n1/1+n2/0*8 is n1 and n2. The error says that the list
// cannot be read, or that it has more than a million names.
func NodeNames(list string) ([]string, error) {
	var all []string
	var seen map[string]bool
	for item := range nodeItems(list) {
		item, _, _ = strings.Cut(item, "/") // the places of a job on a node
		expanded, err := expand(item)
		if err != nil {
			return nil, fmt.Errorf("node list %q: %w", list, err)
		}
		if seen == nil { // most lists are one item
			seen = make(map[string]bool, len(expanded))
		}
		for _, name := range expanded {
			if name != "" && !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
		if len(all) > mostNodeNames {
			return nil, fmt.Errorf("node list %q has more than %d names", list[:min(len(list), 40)], mostNodeNames)
		}
	}
	return all, nil
}

// nodeItems gives the parts of a list of nodes: what stands between commas and plus signs outside brackets, and outside the places of
// a job on a node, such as 0-3,5 in n1/0-3,5.
func nodeItems(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from, depth, places := 0, 0, false
		for i := range len(list) {
			switch c := list[i]; {
			case c == '[':
				depth++
			case c == ']':
				depth--
			case c == '/':
				places = true
			case c == '+' && depth == 0, c == ',' && depth == 0 && !places:
				if !yield(list[from:i]) {
					return
				}
				from, places = i+1, false
			}
		}
		yield(list[from:])
	}
}

// expand returns the names of an item with ranges in brackets, such as r[1-2]n[01-04].
func expand(item string) ([]string, error) {
	prefix, rest, bracketed := strings.Cut(item, "[")
	if !bracketed {
		return []string{item}, nil
	}
	ranges, suffix, closed := strings.Cut(rest, "]")
	if !closed {
		return nil, fmt.Errorf("%q has no closing bracket", item)
	}
	tails, err := expand(suffix)
	if err != nil {
		return nil, err
	}
	var text []byte // of all names, which then share one string
	var ends []int
	for one := range strings.SplitSeq(ranges, ",") {
		from, to, digits, ok := rangeOf(one)
		if !ok || (to-from+1)*uint64(len(tails)) > mostNodeNames || len(ends) > mostNodeNames {
			return nil, fmt.Errorf("%q is not a range of numbers", one)
		}
		for n := from; n <= to; n++ {
			for _, tail := range tails {
				text = appendPadded(append(text, prefix...), n, digits)
				text = append(text, tail...)
				ends = append(ends, len(text))
			}
		}
	}
	return cutAt(string(text), ends), nil
}

// appendPadded appends a number to a text, with zeros in front of it up to so many digits.
func appendPadded(text []byte, n uint64, digits int) []byte {
	var buffer [20]byte
	number := strconv.AppendUint(buffer[:0], n, 10)
	for range digits - len(number) {
		text = append(text, '0')
	}
	return append(text, number...)
}

// cutAt returns the parts of a text that end at the given places.
func cutAt(text string, ends []int) []string {
	parts, begin := make([]string, len(ends)), 0
	for i, end := range ends {
		parts[i], begin = text[begin:end], end
	}
	return parts
}

// mostDigits bounds the digits of a number in a name. Numbers below 2³¹ have ten, and zeros in front of them.
const mostDigits = 20

// rangeOf returns the first and the last number of a range such as 01-12 or 7, and the digits to which its numbers are padded. ok
// is false if the text is no range of numbers below 2³¹, or if it pads them to more than 20 digits.
func rangeOf(text string) (from, to uint64, digits int, ok bool) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 31)
	if err != nil || len(first) > mostDigits {
		return 0, 0, 0, false
	}
	to, err = strconv.ParseUint(last, 10, 31)
	return from, to, len(first), err == nil && from <= to
}

// IsNodeList reports whether [NodeNames] can read a list. It makes no names, so it takes little time for each list of a log.
func IsNodeList(list string) bool {
	names := uint64(0)
	for item := range nodeItems(list) {
		item, _, _ = strings.Cut(item, "/")
		named := uint64(1)
		for {
			_, rest, bracketed := strings.Cut(item, "[")
			if !bracketed {
				break
			}
			ranges, suffix, closed := strings.Cut(rest, "]")
			each := uint64(0)
			for one := range strings.SplitSeq(ranges, ",") {
				from, to, _, ok := rangeOf(one)
				if !ok || !closed {
					return false
				}
				each += to - from + 1
			}
			if each > mostNodeNames {
				return false
			}
			item, named = suffix, min(named*each, mostNodeNames+1)
		}
		if names += named; names > mostNodeNames {
			return false
		}
	}
	return true
}
