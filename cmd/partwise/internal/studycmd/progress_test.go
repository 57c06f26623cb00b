//go:build unix

package studycmd

import (
	"context"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// processorTime returns what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestProgressTellsTheTruth: from a tenth of a study on, the bar foretells the time of the whole within 20 %: measured within 8 %
// (KTH, NASA) to 17 % (SDSC). What is not known then is how many replays the searches for break-evens take, which is half of the
// time, and how long the rules of the advice take, a quarter. Time is that of the processor, with one worker: others may use the
// machine. Costs of single replays are measured by the clock even so, which on a busy machine adds some per cent to the error.
func TestProgressTellsTheTruth(t *testing.T) {
	needs.Study(t, "studies five logs")
	for _, name := range []string{"KTH-SP2-1996-2.merged", "NASA-iPSC-1993-3.1-cln", "CTC-SP2-cln.reconstructed",
		"SDSC-SP2-1998-4.reconstructed", "LANL-CM5-1994-4.1-cln"} {
		t.Run(name, func(t *testing.T) {
			log := needs.JobLog(t, name+".swf.gz")
			t.Chdir(t.TempDir())
			foretold(t, log)
		})
	}
}

// foretold studies a log and compares what the bar said with the time that the study took.
func foretold(t *testing.T, log string) {
	type pair struct{ passed, fraction float64 }
	var seen []pair
	begin := processorTime()
	fresh := func() *options {
		o := newOptions()
		o.watch = func(p *progress.Plan) {
			passed := func() time.Duration { return processorTime() - begin }
			p.Now = func() time.Time { return time.Time{}.Add(passed()) }
			p.Show = func(s progress.State) { seen = append(seen, pair{passed().Seconds(), s.Fraction}) }
		}
		return o
	}
	p := &cli.Program{Unlisted: []cli.Command{command(fresh)}, Policies: policy.Standard()}
	if code := p.Run(context.Background(), []string{"study", log, "--workers", "1"}, os.Stdin, io.Discard, os.Stderr); code != 0 && code != 6 {
		t.Fatalf("exit code %d", code)
	}
	whole := (processorTime() - begin).Seconds()
	worst, at, late := 0.0, 0.0, 0.0
	for _, s := range seen {
		if s.passed < whole/10 || s.fraction == 0 {
			continue
		}
		if s.passed > whole/2 {
			said, left := s.passed*(1-s.fraction)/s.fraction, whole-s.passed
			late = max(late, math.Abs(said-left)/whole)
		}
		if off := s.passed/s.fraction/whole - 1; math.Abs(off) > math.Abs(worst) {
			worst, at = off, s.passed/whole
		}
	}
	t.Logf("in the second half the time left was at most %.1f %% of the whole off", 100*late)
	if strings.Contains(log, "KTH") && late > 0.05 {
		t.Errorf("in the second half the time left was off by %.1f %% of the whole", 100*late)
	}
	t.Logf("%.0f s, %d reports; the time foretold was at most %.0f %% off, at %.0f %% of the time", whole, len(seen), 100*worst, 100*at)
	if math.Abs(worst) > 0.2 {
		t.Errorf("the time foretold was off by %.0f %% of the whole", 100*worst)
	}
}
