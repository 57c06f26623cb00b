package logtext_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// TestCSVQuotes: a field may go on in the next lines if a quote closes the field, whatever quotes stand in other fields of its
// record. The line of an error is the line on which the open field begins.
func TestCSVQuotes(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		records [][]string
		open    int // line of the open quote; 0: no quote is open
	}{
		"bare quote before": {"12\" rack,\"two\nlines\",7\n", [][]string{{"12\" rack", "two\nlines", "7"}}, 0},
		"bare quote after":  {"\"two\nlines\",12\" rack\n1,2\n", [][]string{{"two\nlines", "12\" rack"}, {"1", "2"}}, 0},
		"bare quote between": {"# note\n\n1,\"a\nb\",\"12\" rack\",  \"c\n\nd\"\n",
			[][]string{{"1", "a\nb", "12\" rack", "c\n\nd"}}, 0},
		"doubled quotes":       {"1,\"two \"\"\n\"\"\"\n2,3\n", [][]string{{"1", "two \"\n\""}, {"2", "3"}}, 0},
		"line ends of Windows": {"1,\"two\r\nlines\"\r\n2,\"x\r\ny\"\r", [][]string{{"1", "two\nlines"}, {"2", "x\ny"}}, 0},
		"end of the file":      {"12\" rack,\"two\nlines\"", [][]string{{"12\" rack", "two\nlines"}}, 0},
		"open":                 {"1,2\n3,\"x\n4,5\n", [][]string{{"1", "2"}}, 2},
		"open before quotes":   {"1,2\n3,\"x\n4,\"5\"\n6,7\n", [][]string{{"1", "2"}}, 2},
		"open after closed":    {"12\" rack,\"two\nlines\",\"x\n4,5\n", nil, 2},
		"bare quote inside":    {"1,\"two 12\" racks\nlines\",7\n", nil, 1},
	} {
		in, err := logtext.Open(strings.NewReader(c.text), "f")
		if err != nil {
			t.Fatal(err)
		}
		var records [][]string
		table, line := logtext.NewCSV(in, ','), 0
		for err == nil {
			var record []string
			if record, line, err = table.Next(); err == nil {
				records = append(records, append([]string(nil), record...))
			}
		}
		want := io.EOF
		if c.open > 0 {
			want = logtext.ErrOpenQuote
		}
		if !errors.Is(err, want) || c.open > 0 && line != c.open {
			t.Errorf("%s: error of line %d: %v, want %v of line %d", name, line, err, want, c.open)
		}
		if diff := cmp.Diff(c.records, records); diff != "" {
			t.Errorf("%s: records: %s", name, diff)
		}
	}
}
