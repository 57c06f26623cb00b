package output_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
	_ "github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/metric"
)

func TestWriteJSONKeepsTheOrderOfFields(t *testing.T) {
	o := output.Object{
		{"b", 1.5}, {"a", []float64{1, 0.1}}, {"text", "λ < \"1\" & more"}, {"none", []string{}},
		{"rows", []output.Object{{{"x", 1}}, {{"x", true}}}}, {"empty", output.Object{}},
		{"intervals", []metric.Interval{{Mean: 2, Low: 1, High: 3, HalfWidth: 1, DF: 9}}}, {"lists", [][]float64{{1}, nil}},
	}
	const want = `{
  "b": 1.5,
  "a": [1, 0.1],
  "text": "λ < \"1\" & more",
  "none": [],
  "rows": [
    {
      "x": 1
    },
    {
      "x": true
    }
  ],
  "empty": {},
  "intervals": [
    {
      "mean": 2,
      "low": 1,
      "high": 3,
      "half_width": 1
    }
  ],
  "lists": [[1], []]
}
`
	var b bytes.Buffer
	if err := output.WriteJSON(&b, o); err != nil || b.String() != want {
		t.Errorf("got %v\n%s", err, &b)
	}
}

// BenchmarkWriteJSON writes results with long lists of numbers, as solve does.
func BenchmarkWriteJSON(b *testing.B) {
	for _, numbers := range []int{100, 10_000} {
		results := make([]output.Object, 8)
		for i := range results {
			list := make([]float64, numbers)
			for j := range list {
				list[j] = 1 / float64(1+i+j)
			}
			results[i] = output.Object{{"policy", "dynamic"}, {"level_probabilities", list}}
		}
		b.Run(fmt.Sprintf("lists=8/numbers=%d", numbers), func(b *testing.B) {
			for b.Loop() {
				if err := output.WriteJSON(io.Discard, output.Object{{"results", results}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNoNumberIsAbsent: a number that is not finite cannot come into JSON. Its field is left out, and null keeps its place in a
// list.
func TestNoNumberIsAbsent(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var b bytes.Buffer
		err := output.WriteJSON(&b, output.Object{
			{"rows", []output.Object{{{"x", v}, {"i", metric.Interval{Mean: v}}, {"y", 1.5}}}},
			{"list", []float64{1, v, 3}},
			{"open", metric.Interval{Mean: 2, Low: v, High: 3, HalfWidth: v}},
		})
		const want = `{"rows":[{"y":1.5}],"list":[1,null,3],"open":{"mean":2}}`
		if got := strings.Join(strings.Fields(b.String()), ""); err != nil || got != want {
			t.Errorf("%v: error %v, output %s", v, err, got)
		}
	}
}

func TestNumbersReadBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		if got, err := strconv.ParseFloat(words.Shortest(v), 64); err != nil || got != v {
			t.Fatalf("CSV: %v came back as %v, %v", v, got, err)
		}
		var b bytes.Buffer
		if err := output.WriteJSON(&b, output.Object{{"v", v}}); err != nil {
			t.Fatal(err)
		}
		var back struct{ V float64 }
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.V != v {
			t.Fatalf("JSON: %v came back as %v, %v", v, back.V, err)
		}
	})
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 4, "0"}, {1234.5678, 5, "1,234.6"}, {0.000123456, 3, "0.000123"}, {99.99, 3, "100"}, {0.09999999, 4, "0.1000"}, {-2.5, 2, "-2.5"},
		{1.5e-9, 3, "1.50e-09"}, {2e12, 3, "2.00e+12"}, {100, 2, "100"},
	} {
		if got := words.Round(c.v, c.digits); got != c.want {
			t.Errorf("Round(%v, %d) = %q, want %q", c.v, c.digits, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := output.Table{
		Title:   "Times",
		Columns: []output.Column{{Name: "policy"}, {Name: "T", Number: true}},
		Rows:    [][]string{{"dynamic", "1.25"}, {"static:16", "10.5"}, {"static:2", ""}},
	}
	var text, markdown bytes.Buffer
	if err := errors.Join(table.WriteText(&text, 0, false), table.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	const wantText = "Times\npolicy        T\ndynamic    1.25\nstatic:16  10.5\nstatic:2\n"
	if text.String() != wantText {
		t.Errorf("text:\n%s", &text)
	}
	if !strings.Contains(markdown.String(), "| dynamic | 1.25 |") {
		t.Errorf("markdown:\n%s", &markdown)
	}
}

func TestWriteFileIsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	write := func(text string, err error) error {
		return output.WriteFile(path, func(w io.Writer) error {
			_, werr := io.WriteString(w, text)
			return errors.Join(werr, err)
		})
	}
	full := errors.New("the work failed")
	if err := write("half", full); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("two, half", full); err == nil {
		t.Error("no error")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Errorf("after a failure: %q, %v", got, err)
	}
	if err := write("three", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "three" {
		t.Errorf("after a success: %q, %v", got, err)
	}
}

func TestWriteFileThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	err := output.WriteFile(link, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "new" {
		t.Errorf("target holds %q, %v", got, err)
	}
}

// TestHalfInCSV: CSV has the mean of an interval and half of its width, JSON all of it.
func TestHalfInCSV(t *testing.T) {
	rows := []any{metric.Interval{Mean: 2, Low: 1, High: 3, HalfWidth: 1}, nil}
	l := output.NewList("", "", output.Wide, rows, func(x *any) output.Row { return output.Row{output.Col("x", "").HalfInCSV().Is(*x)} })
	if got := fmt.Sprint(l.Rows()); got != "[[x x_half_width] [2 1] [ ]]" {
		t.Errorf("CSV %s", got)
	}
	var b bytes.Buffer
	if err := output.WriteJSON(&b, l.Objects()[0]); err != nil || !strings.Contains(b.String(), `"low": 1,`) {
		t.Errorf("JSON %s, error %v", &b, err)
	}
}

// TestWriteFileToAPipe: the links of standard streams may lead to a pipe, which has no name.
func TestWriteFileToAPipe(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	name := fmt.Sprintf("/proc/self/fd/%d", out.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no links to open files here: %v", err)
	}
	err = output.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	if err := errors.Join(err, output.Check(name), out.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || string(got) != "new" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
}

// TestIntervalsInJSON: an interval has the same fields in a list as alone.
func TestIntervalsInJSON(t *testing.T) {
	e := metric.Interval{Mean: 2, Low: 1.5, High: 2.5, HalfWidth: 0.5, DF: 3}
	var b bytes.Buffer
	if err := output.WriteJSON(&b, output.Object{{Name: "one", Value: e}, {Name: "all", Value: []metric.Interval{e}}}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		One map[string]float64
		All []map[string]float64
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.All) != 1 || !maps.Equal(got.All[0], got.One) || got.One["half_width"] != 0.5 {
		t.Errorf("got\n%s", &b)
	}
}

// TestNamesOfOutputs: a name may have as many bytes as the file system takes. A longer name, and links that lead to each other, are
// refused before the work is done.
func TestNamesOfOutputs(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("é", 125)+".json")
	if err := errors.Join(output.Check(long), output.WriteFile(long, output.Text("x"))); err != nil {
		t.Errorf("a name of 255 bytes: %v", err)
	}
	loop, back := filepath.Join(dir, "loop"), filepath.Join(dir, "back")
	if err := errors.Join(os.Symlink(back, loop), os.Symlink(loop, back)); err != nil {
		t.Skip("no symbolic links")
	}
	for _, name := range []string{loop, long + "x"} {
		if output.Check(name) == nil || output.WriteFile(name, output.Text("x")) == nil {
			t.Errorf("%s can be written", name)
		}
	}
	if info, err := os.Lstat(loop); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info, err)
	}
}
