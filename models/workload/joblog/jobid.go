package joblog

import (
	"bytes"
)

// parseJobID reads a number of a job as Slurm writes it: 123, 123.batch (a step), 123_4 and 123_[5-9%2] (tasks of an
// array), 123+1 (a component of a heterogeneous job).
func parseJobID(text []byte) (k key, step, ok bool) {
	id, rest, ok := leadingNumber(text)
	if !ok {
		return k, false, false
	}
	k.id = id
	if len(rest) > 0 && rest[0] == '_' {
		rest = rest[1:]
		if len(rest) > 0 && rest[0] == '[' {
			end := bytes.IndexByte(rest, ']')
			if end < 0 {
				return k, false, false
			}
			k.task, rest = none, rest[end+1:] // those that have not started, together
		} else {
			var task uint32
			if task, rest, ok = leadingNumber(rest); !ok || task >= none-1 {
				return k, false, false
			}
			k.task = task + 1
		}
	}
	if len(rest) > 0 && rest[0] == '+' {
		var component uint32
		if component, rest, ok = leadingNumber(rest[1:]); !ok || component > 254 {
			return k, false, false
		}
		k.component = uint8(component) + 1
	}
	if len(rest) > 1 && rest[0] == '.' {
		return k, true, true
	}
	return k, false, len(rest) == 0
}

// leadingNumber reads the number that a text begins with.
func leadingNumber(text []byte) (n uint32, rest []byte, ok bool) {
	i, x := 0, uint64(0)
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9' && i < 10; i++ {
		x = 10*x + uint64(text[i]-'0')
	}
	return uint32(x), text[i:], i > 0 && x < none
}
