package logtext

import "io"

// Newlines passes a file on and tells on which lines its bytes are.
type Newlines struct {
	In     io.Reader
	Passed int // lines before the first byte that is passed on

	read int64
	ends []int64 // of lines that have not been asked for
}

// Read reads on.
func (n *Newlines) Read(p []byte) (int, error) {
	k, err := n.In.Read(p)
	for i, c := range p[:k] {
		if c == '\n' {
			n.ends = append(n.ends, n.read+int64(i))
		}
	}
	n.read += int64(k)
	return k, err
}

// Line returns the line, from 1, of the byte at an offset. Offsets must not decrease from call to call.
func (n *Newlines) Line(offset int64) int {
	i := 0
	for i < len(n.ends) && n.ends[i] < offset {
		i++
	}
	n.Passed += i
	n.ends = append(n.ends[:0], n.ends[i:]...)
	return n.Passed + 1
}
