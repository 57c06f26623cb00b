package machine

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/internal/des"
)

// ResizeTime is the time that a job stands still when it is resized to the given number of nodes. Shrink applies if it
// had more nodes before, Expand if it had fewer. Times are in the unit of the machine.
type ResizeTime struct {
	Nodes          int
	Shrink, Expand float64
}

// Resizes are costs of resizing that depend on the number of nodes that a job has afterwards. Times are interpolated
// linearly between the listed numbers of nodes. Beyond them, the nearest listed time applies.
type Resizes []ResizeTime

// NewResizes returns the costs of a list, sorted by the number of nodes; the list is not changed. The error says that a
// number of nodes is below 1 or occurs twice, or that a time is negative, infinite or NaN.
func NewResizes(list ...ResizeTime) (Resizes, error) {
	all := slices.Clone(list)
	slices.SortFunc(all, func(a, b ResizeTime) int { return a.Nodes - b.Nodes })
	for i, x := range all {
		switch {
		case x.Nodes < 1:
			return nil, fmt.Errorf("machine: the costs of resizing to %d nodes", x.Nodes)
		case i > 0 && all[i-1].Nodes == x.Nodes:
			return nil, fmt.Errorf("machine: two costs of resizing to %d nodes", x.Nodes)
		case !(x.Shrink >= 0 && x.Expand >= 0) || math.IsInf(x.Shrink+x.Expand, 1):
			return nil, fmt.Errorf("machine: resizing to %d nodes takes %v or %v", x.Nodes, x.Shrink, x.Expand)
		}
	}
	return all, nil
}

// Stop returns the time that a job stands still when the number of its nodes changes from had to has. It is interpolated
// linearly in has between the numbers of nodes of the list, which must be ascending, as [NewResizes] makes them. Outside
// the list, the time of the nearest number applies. The times are Shrink if has is less than had, and otherwise Expand,
// also for had = 0. It is 0 if the number does not change, or for an empty list.
func (c Resizes) Stop(had, has int) float64 {
	of := func(x ResizeTime) float64 {
		if has < had {
			return x.Shrink
		}
		return x.Expand
	}
	i := 0
	for i < len(c) && c[i].Nodes < has {
		i++
	}
	switch {
	case len(c) == 0 || had == has:
		return 0
	case i == len(c):
		return of(c[i-1])
	case i == 0 || c[i].Nodes == has:
		return of(c[i])
	}
	from, to := c[i-1], c[i]
	return of(from) + (of(to)-of(from))*float64(has-from.Nodes)/float64(to.Nodes-from.Nodes)
}

// Pause returns the zero Pause, for any change: no change is a reconfiguration of all jobs, because each resized job
// stands still by itself. [Resizes.Stop] says for how long.
func (Resizes) Pause(*Change, *des.Ahead) Pause { return Pause{} }

// longestResize is the largest time in seconds that a file may give. Run times of seconds would be lost beside longer
// times.
const longestResize = 1e11

// ReadResizes reads costs of resizing, in seconds, from a CSV file. Its header names the columns nodes and time, or
// nodes, shrink and expand. Lines that begin with # are comments. file is the name of the file in errors.
//
// The error is a *[workload.DataError] with line and column, where they are known. Its causes are a file that cannot be
// read, has no header or no costs, or gives a number of nodes twice. Other causes are a number of nodes that is not an
// integer of at least 1, or a time outside of 0 to 1e11 s.
func ReadResizes(r io.Reader, file string) (Resizes, error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace = '#', true
	fail := func(row int, column, problem string) (Resizes, error) {
		return nil, &workload.DataError{File: file, Row: row, Column: column, Problem: problem}
	}
	header, err := in.Read()
	if err != nil {
		return fail(0, "", "has no header that names nodes and time, or nodes, shrink and expand")
	}
	columns, problem := resizeColumns(header)
	if problem != "" {
		return fail(1, "", problem+"; write nodes,time or nodes,shrink,expand")
	}
	var list Resizes
	rows := map[int]int{} // line of each number of nodes
	for {
		record, err := in.Read()
		var broken *csv.ParseError
		switch {
		case errors.Is(err, io.EOF) && len(list) == 0:
			return fail(0, "", "holds no costs")
		case errors.Is(err, io.EOF):
			return NewResizes(list...)
		case errors.As(err, &broken):
			return fail(broken.Line, "", broken.Err.Error())
		case err != nil:
			return fail(0, "", err.Error())
		}
		row, _ := in.FieldPos(0)
		var values [len(columns)]float64
		for k, column := range columns {
			text := strings.TrimSpace(record[column])
			v, err := strconv.ParseFloat(text, 64)
			problem := ""
			switch {
			case k == 0 && !(v >= 1 && v == math.Trunc(v) && v <= math.MaxInt32):
				problem = fmt.Sprintf("%q is not a number of nodes", text)
			case err != nil || !(v >= 0 && v <= longestResize):
				problem = fmt.Sprintf("%q is not a time from 0 to %g s", text, longestResize)
			case k == 0 && rows[int(v)] > 0:
				return fail(row, "", fmt.Sprintf("a second cost of resizing to %v nodes; the first is in line %d", v, rows[int(v)]))
			}
			if problem != "" {
				return fail(row, strings.TrimSpace(header[column]), problem)
			}
			values[k] = v
		}
		x := ResizeTime{int(values[0]), values[1], values[2]}
		rows[x.Nodes] = row
		list = append(list, x)
	}
}

// resizeColumns returns the indices, from 0, of the columns nodes, shrink and expand in the header of a CSV file. A
// column named time serves as shrink and as expand. problem says what is missing or named twice; "" if the header is
// right.
func resizeColumns(header []string) (columns [3]int, problem string) {
	for k, names := range [][]string{{"nodes"}, {"shrink", "time"}, {"expand", "time"}} {
		named := func(h string) bool { return slices.Contains(names, strings.TrimSpace(h)) }
		columns[k] = slices.IndexFunc(header, named)
		switch at := columns[k]; {
		case at < 0:
			return columns, "the header names no " + strings.Join(names, " or ")
		case slices.ContainsFunc(header[at+1:], named):
			return columns, "the header names " + strings.Join(names, " or ") + " twice"
		}
	}
	return columns, ""
}
