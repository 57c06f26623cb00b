package joblog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is kept is read again as it was, to the last bit, whatever the numbers are: whole ones, large and small, fractions,
// and columns of one value.
func TestKeep(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, packedTogether - 1, packedTogether, packedTogether + 1, 5 * packedTogether} {
		jobs := make([]Job, n)
		for i := range jobs {
			jobs[i] = blank(i)
			j := &jobs[i]
			j.Submit, j.Wait, j.Run = float64(10*i), float64(draw.IntN(1<<draw.IntN(50))), draw.Float64()
			j.Memory, j.Processors = math.Ldexp(draw.Float64(), draw.IntN(2000)-1000), draw.IntN(300)-1
			j.ThinkTime, j.Estimate = []float64{math.Copysign(0, -1), 0, math.Inf(1), math.MaxFloat64}[draw.IntN(4)], -1e300
		}
		kept, err := Keep(t.Context(), Most(Jobs(jobs), n+1), 0) // not as the list that it is
		if err != nil {
			t.Fatal(err)
		}
		if got, err := All(kept.Jobs()); err != nil || !slices.EqualFunc(got, jobs, func(a, b Job) bool {
			x, y := a.fields(), b.fields()
			return slices.EqualFunc(x[:], y[:], func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
		}) {
			t.Errorf("%d jobs: %v: %s", n, err, cmp.Diff(jobs, got))
		}
	}
}

// More jobs than fit are refused, kept ones and others; a list is not kept twice.
func TestKeepTooMany(t *testing.T) {
	three := ListOf([]Job{{ID: 1}, {ID: 2}, {ID: 3}})
	if again, err := Keep(t.Context(), three.Jobs(), 3); err != nil || again != three {
		t.Errorf("%v, %v", again, err)
	}
	line := strings.Repeat("-1 ", 17)
	for _, in := range []Source{three.Jobs(), swfText(t, fmt.Sprintf("1 %s\n2 %[1]s\n3 %[1]s\n", line))} {
		if _, err := Keep(t.Context(), in, 2); !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "more than 2 jobs") {
			t.Error(err)
		}
	}
}

func swfText(t testing.TB, text string) *Reader {
	t.Helper()
	r, err := Open(strings.NewReader(text), "f", Options{Format: SWF})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The kept jobs of a log are those that are read one by one.
func TestKeepArchiveLog(t *testing.T) {
	f, err := os.Open("../../../../shared/traces/KTH-SP2-1996-2.merged.swf.gz")
	if err != nil {
		t.Skip("the log is not here: ", err)
	}
	defer f.Close()
	in, err := Open(f, "KTH", Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	kept, err := Keep(t.Context(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	if bytes := float64(heap()-before) / float64(kept.Len()); bytes > 48 { // 28 and the jobs of a block; a Job has 144
		t.Errorf("%.0f bytes a job", bytes)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	whole, err := Read(f, "KTH", Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := All(kept.Jobs())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole.Jobs, got); diff != "" {
		t.Error(diff)
	}
	if again := in.Next(new(Job)); again == nil {
		t.Error("a log that was kept gives more jobs")
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An interrupted reader ends, the decompression ahead of it as well.
func TestKeepInterrupted(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	line := strings.Repeat("-1 ", 18) + "\n"
	before := runtime.NumGoroutine()
	in := swfText(t, zipped(t, strings.Repeat(line, 100_000)))
	if _, err := Keep(done, in, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for tries := 0; runtime.NumGoroutine() > before; tries++ { // it has nothing to do but to end
		if tries == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}
