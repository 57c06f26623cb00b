package pbs_test

import (
	"testing"

	"github.com/partwise/partwise/models/workload/internal/pbs"
)

// TestParseJob: numbers of jobs are read, and texts that are no numbers of jobs are refused.
func TestParseJob(t *testing.T) {
	for text, want := range map[string]pbs.Job{
		"123":           {Number: 123},
		"123.srv.dom":   {Number: 123, Server: []byte("srv.dom")},
		"123[4].srv":    {Number: 123, Task: 4, IsTask: true, Server: []byte("srv")},
		"123-4.srv":     {Number: 123, Task: 4, IsTask: true, Server: []byte("srv")},
		"123[].srv-2.d": {Number: 123, IsWholeArray: true, Server: []byte("srv-2.d")},
	} {
		got, ok := pbs.ParseJob([]byte(text))
		if !ok || got.Number != want.Number || got.Task != want.Task || got.IsTask != want.IsTask ||
			got.IsWholeArray != want.IsWholeArray || string(got.Server) != string(want.Server) {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ".srv", "license", "R12.srv", "S12.srv", "12x.srv", "12[.srv", "12[a].srv", "12[4.srv",
		"12-.srv", "12-a.srv", "12[]]"} {
		if got, ok := pbs.ParseJob([]byte(text)); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

// TestParseRecord: records are distinguished from other lines, and give their time.
func TestParseRecord(t *testing.T) {
	r, ok := pbs.ParseRecord([]byte("03/01/2024 08:00:05;E;12.srv;user=u a=b;c"))
	civil, isTime := r.Clock()
	if !ok || !isTime || civil != 1709280005 || r.Kind != 'E' || string(r.Job) != "12.srv" || string(r.Attributes) != "user=u a=b;c" {
		t.Errorf("%+v, %d", r, civil)
	}
	for _, line := range []string{"", "03/01/2024 08:00:05;E", "03/01/2024 08:00:05;5;1.srv;", "2024-03-01 08:00:05;E;1.srv;"} {
		if _, ok := pbs.ParseRecord([]byte(line)); ok {
			t.Errorf("%q is a record", line)
		}
	}
	for _, line := range []string{"13/01/2024 08:00:05;E;1;", "0x/01/2024 08:00:05;E;1;", "03/01/2024 24:00:05;E;1;"} {
		r, ok := pbs.ParseRecord([]byte(line))
		if at, isTime := r.Clock(); !ok || isTime {
			t.Errorf("%q shows %d", line, at)
		}
	}
}
