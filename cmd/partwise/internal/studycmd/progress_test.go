//go:build unix

package studycmd

import (
	"context"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models/policy"
)

var long = flag.Bool("long", false, "run the tests that take a minute")

// processorTime returns what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// From the middle of a study on, the bar says how much time is left within 5 % of the whole. Time is that of one processor:
// others may use the machine.
func TestProgressTellsTheTruth(t *testing.T) {
	log := "../../../../../shared/traces/KTH-SP2-1996-2.merged.swf.gz"
	if _, err := os.Stat(log); err != nil || !*long {
		t.Skip("needs -long and the log of the KTH in ../shared")
	}
	log, err := filepath.Abs(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
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
	if code := p.Run(context.Background(), []string{"study", log, "--workers", "1"}, os.Stdin, io.Discard, os.Stderr); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	whole := (processorTime() - begin).Seconds()
	worst, relative := 0.0, 0.0
	for _, s := range seen {
		if s.passed < whole/2 || s.fraction == 0 {
			continue
		}
		said, left := s.passed*(1-s.fraction)/s.fraction, whole-s.passed
		worst = max(worst, math.Abs(said-left)/whole)
		if left > 0.05*whole {
			relative = max(relative, math.Abs(said/left-1))
		}
	}
	t.Logf("%.0f s, %d reports; in the second half at most %.1f %% of the whole off, %.0f %% of what was left", whole, len(seen),
		100*worst, 100*relative)
	if worst > 0.05 {
		t.Errorf("the time left was off by %.1f %% of the whole", 100*worst)
	}
}
