package joblog

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Header is what the comments of a log say. Numbers are 0 where they say nothing.
type Header struct {
	MaxProcs, MaxNodes, MaxJobs int
	UnixStartTime               int64
	TimeZone                    int               // seconds east of Greenwich, where TimeZoneString names none
	Fields                      map[string]string // all "; Key: value" lines; a repeated key keeps its first value
	Comments                    []string          // as they are, without the semicolon; the first thousand
}

// commentsKept is the number of lines of comments that are kept. Logs have tens of them.
const commentsKept = 1000

// Size returns the number of nodes of the machine: MaxProcs, or MaxNodes where that is not given; 0 if neither is.
func (h *Header) Size() int {
	if h.MaxProcs > 0 {
		return h.MaxProcs
	}
	return h.MaxNodes
}

// StateSize makes the header say the number of nodes of the machine, in place of what it said. Its comments say it, too, so that a log
// that is written with the header has it: of several comments the first would count.
func (h *Header) StateSize(nodes int) {
	if h == nil {
		return
	}
	h.MaxProcs, h.MaxNodes = nodes, nodes
	others := slices.DeleteFunc(slices.Clone(h.Comments), func(comment string) bool {
		key, _, _ := strings.Cut(comment, ":")
		key = strings.ToLower(strings.TrimSpace(key))
		return key == "maxnodes" || key == "maxprocs"
	})
	h.Comments = append(others, fmt.Sprintf(" MaxNodes: %d", nodes), fmt.Sprintf(" MaxProcs: %d", nodes))
}

// Location returns the time zone of the machine, UTC if the log does not tell.
func (h *Header) Location() *time.Location {
	if name := h.Fields["TimeZoneString"]; name != "" {
		if l, err := time.LoadLocation(name); err == nil {
			return l
		}
	}
	if h.TimeZone != 0 {
		return time.FixedZone("", h.TimeZone)
	}
	return time.UTC
}

// Dated reports whether the log says when it begins.
func (h *Header) Dated() bool { return h.UnixStartTime > 0 }

// StandardZone returns the name of a time zone whose clocks show the standard time of the log all year, such as Etc/GMT-1. It
// returns "" if the offset from UTC is not a whole number of hours, because no such zone exists then.
func (h *Header) StandardZone() string {
	at := time.Unix(h.UnixStartTime, 0).In(h.Location())
	_, offset := at.Zone()
	if at.IsDST() {
		offset -= 3600
	}
	if offset%3600 != 0 {
		return ""
	}
	return fmt.Sprintf("Etc/GMT%+d", -offset/3600) // hours west of Greenwich, as POSIX counts
}

// Texts of the findings in comments of the header.
const (
	unreadHeader   = "comments of the header whose number cannot be read, such as MaxProcs: 64x2"
	repeatedHeader = "repeated comments of the header with another value: the first value counts; the file may hold two logs"
)

// add takes a comment in, or returns what is wrong with it.
func (h *Header) add(line []byte) (problem string) {
	if len(h.Comments) == commentsKept {
		return ""
	}
	if len(line) > logtext.KeptOfLong {
		line = line[:logtext.KeptOfLong]
	}
	comment := string(bytes.TrimLeft(line, ";"))
	h.Comments = append(h.Comments, comment)
	key, value, ok := strings.Cut(comment, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" || strings.ContainsAny(key, " \t") {
		return ""
	}
	name, words := strings.ToLower(key), strings.Fields(value)
	set := map[string]func(n int64){
		"maxprocs": func(n int64) { h.MaxProcs = int(n) }, "maxnodes": func(n int64) { h.MaxNodes = int(n) },
		"maxjobs": func(n int64) { h.MaxJobs = int(n) }, "unixstarttime": func(n int64) { h.UnixStartTime = n },
		"timezone": func(n int64) { h.TimeZone = int(n) },
	}[name]
	first, seen := h.Fields[key]
	switch {
	case seen && set != nil && value != first:
		return repeatedHeader
	case seen:
		return ""
	}
	h.Fields[key] = value
	if set == nil || len(words) == 0 || logtext.IsUnknown([]byte(words[0])) {
		return ""
	}
	largest := float64(math.MaxInt32)
	if name == "unixstarttime" {
		largest = none - 1
	}
	plain, _ := logtext.Plain(strings.TrimRight(words[0], ".,;"), '.')
	n, err := strconv.ParseFloat(plain, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > largest {
		return unreadHeader
	}
	if n >= 0 || name == "timezone" {
		set(int64(n))
	}
	return ""
}
