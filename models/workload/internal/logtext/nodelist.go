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
	seen := map[string]bool{}
	for item := range nodeItems(list) {
		item, _, _ = strings.Cut(item, "/") // the places of a job on a node
		expanded, err := expand(item)
		if err != nil {
			return nil, fmt.Errorf("node list %q: %w", list, err)
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
	var all []string
	for one := range strings.SplitSeq(ranges, ",") {
		first, last, isRange := strings.Cut(one, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of numbers", one)
		}
		to, err := strconv.ParseUint(last, 10, 31)
		if err != nil || to < from || (to-from+1)*uint64(len(tails)) > mostNodeNames || len(all) > mostNodeNames {
			return nil, fmt.Errorf("%q is not a range of numbers", one)
		}
		for n := from; n <= to; n++ {
			for _, tail := range tails {
				all = append(all, fmt.Sprintf("%s%0*d%s", prefix, len(first), n, tail))
			}
		}
	}
	return all, nil
}
