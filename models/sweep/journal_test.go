package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/markov/parallel"
	_ "github.com/partwise/partwise/testdata/phtest"
)

func plan(points int, settings ...string) Plan {
	p := Plan{Points: points, Layout: json.RawMessage(`{"title":"a < b & c"}`)}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		p.Configuration = append(p.Configuration, Setting{name, value})
	}
	return p
}

func value(i int) json.RawMessage { return fmt.Appendf(nil, `{"x":%d,"text":"<%d>"}`, i, i) }

// written makes a journal with records of the points and returns its path.
func written(t *testing.T, p Plan, points ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.journal")
	j, err := OpenJournal(path, p, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range points {
		if err := j.Append(Record{Point: i, Value: value(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestJournalReadsBack(t *testing.T) {
	p := plan(5, "machine.nodes=8", "--method=auto")
	path := written(t, p, 3, 0)
	c, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, c.Plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	want := map[int]Record{0: {Point: 0, Value: value(0)}, 3: {Point: 3, Value: value(3)}}
	if diff := cmp.Diff(want, c.Records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if missing := c.Missing(); !slices.Equal(missing, []int{1, 2, 4}) || c.Done() != 2 {
		t.Errorf("missing %v, %d done", missing, c.Done())
	}
}

// TestJournalCutAnywhere: whatever the length of what a killed process left, the records that are whole are read, and the
// journal goes on behind them.
func TestJournalCutAnywhere(t *testing.T) {
	p := plan(4, "a=1")
	data, err := os.ReadFile(written(t, p, 0, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.journal")
	for length := range len(data) + 1 {
		if err := os.WriteFile(path, data[:length], 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(path, p, true)
		if err != nil {
			t.Fatalf("cut at %d: %v", length, err)
		}
		whole := max(0, strings.Count(string(data[:length]), "\n")-1)
		if len(j.Records) != whole {
			t.Fatalf("cut at %d: %d records, want %d", length, len(j.Records), whole)
		}
		err = j.Append(Record{Point: 3, Error: "failed"})
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		c, err := ReadJournal(path)
		if err != nil || len(c.Records) != whole+1 || c.Records[3].Error != "failed" || c.Done() != whole {
			t.Fatalf("cut at %d: after another record %+v, %v", length, c, err)
		}
	}
}

func TestJournalThatWasChangedIsRefused(t *testing.T) {
	p := plan(9, "a=1")
	path := written(t, p, 0, 1, 2, 3)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, want := range map[int]string{0: ":1: is not the file of a sweep", 2: ":3: is damaged"} {
		edited := slices.Clone(lines)
		edited[i] = strings.Replace(edited[i], `"`, `'`, 1)
		if err := os.WriteFile(path, []byte(strings.Join(edited, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := OpenJournal(path, p, true)
		var damage *DamageError
		if !errors.As(err, &damage) || err.Error() != path+want {
			t.Errorf("line %d: error %v, want ...%s", i+1, err, want)
		}
	}
	again, err := encode(Record{Point: 1, Value: json.RawMessage(`"another value"`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(slices.Insert(lines, 4, string(again)), "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, p, true); err == nil || err.Error() != path+":5: is damaged" {
		t.Errorf("a second value of a point: %v", err)
	}
	if err := os.WriteFile(path, []byte("load,ratio\n0.1,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, p, false); err == nil {
		t.Error("a file that is no journal was written over")
	}
	if _, err := ReadJournal(path); err == nil {
		t.Error("a file that is no journal was read")
	}
}

func TestOpenRefusesWhatItWouldLose(t *testing.T) {
	p := plan(5, "m.yaml: machine.nodes=8", "--method=auto")
	path := written(t, p, 1, 2)
	var exists *ExistsError
	if _, err := OpenJournal(path, p, false); !errors.As(err, &exists) || exists.Done != 2 || exists.Points != 5 {
		t.Errorf("error %v, want that 2 of 5 points are there", err)
	}
	other := plan(5, "m.yaml: machine.nodes=16", "--over a=1,2")
	other.Shard = Shard{1, 2}
	_, err := OpenJournal(path, other, true)
	want := path + ` is of another configuration:
  m.yaml: machine.nodes is 16, was 8
  --over a is 1,2, was not there
  --shard is 1/2, was not there
  --method is gone, was auto`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	// Without records there is nothing to lose.
	empty := written(t, p)
	j, err := OpenJournal(empty, other, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestJournalHasOneWriter(t *testing.T) {
	p := plan(2, "a=1")
	path := written(t, p, 0)
	j, err := OpenJournal(path, p, true)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if k, err := OpenJournal(path, p, true); err == nil {
		k.Close()
		t.Skip("no locks on this system")
	} else if !errors.Is(err, parallel.ErrFileBusy) {
		t.Errorf("error %v, want %v", err, parallel.ErrFileBusy)
	}
}

// TestRenamedBeforeLocked: a process that opened a journal just before another one finished it, and renamed it, does not
// write into the finished file.
func TestRenamedBeforeLocked(t *testing.T) {
	p := plan(1, "a=1")
	path := written(t, p, 0)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path, path+".done"); err != nil {
		t.Skipf("open files cannot be renamed here: %v", err)
	}
	if err := (&Journal{file: f}).open(path, p, true); !errors.Is(err, parallel.ErrFileBusy) {
		t.Errorf("error %v, want %v", err, parallel.ErrFileBusy)
	}
}

func TestAppendFromManyGoroutines(t *testing.T) {
	const n = 200
	p := plan(n, "a=1")
	path := filepath.Join(t.TempDir(), "out.journal")
	j, err := OpenJournal(path, p, false)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := j.Append(Record{Point: i, Value: value(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	done := filepath.Join(filepath.Dir(path), "out")
	if err := j.Rename(done); err != nil {
		t.Fatal(err)
	}
	c, err := ReadJournal(done)
	if err != nil || len(c.Missing()) != 0 {
		t.Errorf("missing %v, error %v", c.Missing(), err)
	}
}

func TestShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 20).Draw(t, "count")
		points := rapid.IntRange(0, 100).Draw(t, "points")
		for point := range points {
			holders := 0
			for i := 1; i <= count; i++ {
				s, err := ParseShard(Shard{i, count}.String())
				if err != nil {
					t.Fatal(err)
				}
				if s.Holds(point) {
					holders++
				}
			}
			if holders != 1 || !(Shard{}).Holds(point) {
				t.Fatalf("point %d belongs to %d of %d shards", point, holders, count)
			}
		}
	})
	for _, text := range []string{"", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1/1000000"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}

func TestMerge(t *testing.T) {
	shard := func(i int, points ...int) *Contents {
		p := plan(6, "a=1")
		p.Shard = Shard{i, 3}
		c, err := ReadJournal(written(t, p, points...))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, two, three := shard(1, 0, 3), shard(2, 1), shard(3, 2, 5)
	two.Records[4] = Record{Point: 4, Error: "no convergence"}
	m, err := Merge(one, two, three)
	if err != nil || !slices.Equal(m.Missing(), []int{4}) || m.Records[4].Error == "" || m.Done() != 5 {
		t.Errorf("merged %+v, %v", m, err)
	}
	again := shard(2, 4)
	for _, order := range [][]*Contents{{one, two, again, three}, {again, two, one, three}} {
		if m, err := Merge(order...); err != nil || len(m.Missing()) != 0 {
			t.Errorf("with the point that failed at first: %+v, %v", m, err)
		}
	}
	if got := AbsentShards(one, three); !slices.Equal(got, []string{"2/3"}) {
		t.Errorf("absent %v, want 2/3", got)
	}
	two.Plan.Configuration = []Setting{{"a", "2"}}
	var changed *ChangedError
	if _, err := Merge(one, two); !errors.As(err, &changed) || changed.File != two.File {
		t.Errorf("error %v, want that the second is of another configuration", err)
	}
}

func TestFullDiskEndsTheJournal(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	j := &Journal{file: f}
	first := j.Append(Record{Point: 1, Value: value(1)})
	if first == nil {
		t.Fatal("a full disk took a record")
	}
	if err := j.Append(Record{Point: 2, Value: value(2)}); err == nil {
		t.Error("a journal that failed goes on")
	}
	if err := j.Close(); err == nil {
		t.Error("Close forgets what failed")
	}
}

// TestFailedSyncEndsTheJournal: a record that did not reach the disk is not passed over. A pipe takes what is written to
// it, and cannot be synced.
func TestFailedSyncEndsTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		j := &Journal{file: w}
		if err := j.Append(Record{Point: 1, Value: value(1)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(syncEvery)
		synctest.Wait()
		if err := j.Append(Record{Point: 2, Value: value(2)}); err == nil {
			t.Error("a journal that could not be synced goes on")
		}
		if err := j.Close(); err == nil {
			t.Error("Close forgets what failed")
		}
	})
}

// TestRecordsAreInTheFileAtOnce: what Append took can be read before anything was synced or closed, as after a kill.
func TestRecordsAreInTheFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.journal")
	j, err := OpenJournal(path, plan(3, "a=1"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i := range 3 {
		if err := j.Append(Record{Point: i, Value: value(i)}); err != nil {
			t.Fatal(err)
		}
		if c, err := ReadJournal(path); err != nil || c.Done() != i+1 {
			t.Fatalf("%d records were added, the file says %+v, %v", i+1, c, err)
		}
	}
}

// FuzzParse: whatever a file holds, it is read as a journal or refused, at a line.
func FuzzParse(f *testing.F) {
	head, err := encode(header{format, plan(3, "a=1")})
	if err != nil {
		f.Fatal(err)
	}
	record, err := encode(Record{Point: 1, Value: value(1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(append([]byte(nil), head...), record...))
	f.Add(append(append(append([]byte(nil), head...), record[:20]...), record...))
	f.Add([]byte("{}\n{}\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse("x.journal", data)
		var damage *DamageError
		switch {
		case errors.As(err, &damage):
			if damage.Line < 1 || damage.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("damage at line %d", damage.Line)
			}
		case err == nil:
			if missing := len(c.Missing()); missing+c.Done() > max(c.Plan.Points, 0) {
				t.Errorf("%d missing and %d done of %d points", missing, c.Done(), c.Plan.Points)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	j, err := OpenJournal(filepath.Join(b.TempDir(), "out.journal"), plan(1, "a=1"), false)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	r := Record{Value: json.RawMessage(`"` + strings.Repeat("x", 2000) + `"`)}
	for b.Loop() {
		if err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRecordsAreWrittenAsJSON: a record that is put together by hand is what an encoder makes of it, whatever its value.
func TestRecordsAreWrittenAsJSON(t *testing.T) {
	for _, r := range []Record{
		{Point: 7, Value: value(7)}, {Point: 8, Value: json.RawMessage("{\n \"x\": 1}")}, {Point: 9, Error: "a <b>"}, {Point: 10},
		{Point: 11, Value: value(11), Error: "and yet"},
	} {
		text, err := encode(r)
		if err != nil || strings.Count(string(text), "\n") != 1 {
			t.Fatalf("%+v: %q, %v", r, text, err)
		}
		want, got := r, Record{}
		if !decode(text[:len(text)-1], &got) {
			t.Fatalf("%+v is written as %q", r, text)
		}
		if r.Value != nil {
			var line bytes.Buffer
			if err := json.Compact(&line, r.Value); err != nil {
				t.Fatal(err)
			}
			want.Value = line.Bytes()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
}

// TestRecordsWithoutContents: a record that has neither a value nor an error is damage, although its checksum is right.
func TestRecordsWithoutContents(t *testing.T) {
	path := written(t, plan(9, "a=1"), 0, 1)
	empty, err := encode(Record{Point: 2})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	more, err := encode(Record{Point: 3, Value: value(3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, slices.Concat(data, empty, more), 0o644); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	if _, err := ReadJournal(path); !errors.As(err, &damage) || damage.Line != 4 {
		t.Errorf("error %v, want damage at line 4", err)
	}
}
