package joblog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// shiftLog is a made-up format: all that a new format takes is an entry of the table, with its recognition, its fields and a
// reader of its lines.
var shiftLog = format{
	name:      "shift-log",
	summary:   "a made-up format",
	sizes:     [...]string{"racks", "", ""},
	recognise: func(b *filekind.Beginning) bool { return bytes.HasPrefix(b.Line, []byte("shift log")) },
	read: stored(&layout{state: parseState, roles: map[string]role{"asked": submitTime, "began": startTime, "ended": endTime,
		"racks": allocNodes, "outcome": stateName}}, func(s *store, in *logtext.File) error {
		l := logtext.Lines{File: s.file, In: in}
		for {
			line, _, err := l.Next()
			switch {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			case l.Row == 1:
				continue
			}
			words := bytes.Fields(line)
			s.take(&fields{submitTime: words[0], startTime: words[1], endTime: words[2], allocNodes: words[3], stateName: words[4]},
				&entry{Key: executions.Key{ID: uint32(l.Row)}, line: l.Row})
		}
	}),
}

const shiftText = "shift log of a made-up machine\n1700000000 1700000010 1700000070 3 COMPLETED\n1700000005 1700000010 1700000020 2 FAILED\n"

// A format is one entry of the table: it is listed, recognised by content, chosen by name, and read.
func TestAFormatIsOneEntry(t *testing.T) {
	table := append(slices.Clone(formats), shiftLog)
	if names := table.names(); names[len(names)-1] != "shift-log" {
		t.Errorf("formats %v", names)
	}
	for _, name := range []Format{"", "shift-log"} {
		log, list, err := table.read(strings.NewReader(shiftText), "f", Options{Format: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		held := 0.0
		for _, j := range list.Jobs() {
			held += j.NodeTime()
		}
		if log.Format != "shift-log" || held != 3*60+2*10 {
			t.Errorf("format %q: %g node-seconds", log.Format, held)
		}
	}
	for i := range formats { // no format takes the log of another for its own
		if formats[i].recognise(filekind.Begin([]byte(shiftText))) {
			t.Errorf("%s recognises a log of another format", formats[i].name)
		}
	}
}

// The page on job logs has a row for each entry of the table.
func TestPageListsFormats(t *testing.T) {
	page, err := os.ReadFile("../../../docs/job-logs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats {
		row := fmt.Sprintf("| `%s` | %s |", f.name, f.summary)
		for _, size := range f.sizes {
			row += strings.TrimRight(" "+size, " ") + " |"
		}
		if !bytes.Contains(page, []byte(row+"\n")) {
			t.Errorf("docs/job-logs.md lacks the row\n%s", row)
		}
	}
}
