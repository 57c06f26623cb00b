package joblog

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// WriteSWF writes jobs in Standard Workload Format, behind the comments of the header, which may be nil.
func WriteSWF(w io.Writer, h *Header, jobs Jobs) error {
	out := bufio.NewWriter(w) // keeps its first error
	if h != nil {
		for _, c := range h.Comments {
			fmt.Fprintf(out, ";%s\n", c)
		}
	}
	var line []byte
	for j, err := range jobs {
		if err != nil {
			return err
		}
		line = line[:0]
		for _, x := range j.fields() {
			line = append(strconv.AppendFloat(line, x, 'f', -1, 64), ' ')
		}
		line[len(line)-1] = '\n'
		out.Write(line)
	}
	return out.Flush()
}
