//go:build unix

package main

import (
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/testdata/needs"
)

// TestStoppedTestbedLeavesNothing: a testbed whose terminal is closed, or that is interrupted while its nodes start, ends
// in good order, removes its sockets, and its nodes complain of nothing. If it is killed, its nodes remove them.
func TestStoppedTestbedLeavesNothing(t *testing.T) {
	needs.Concurrency(t)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGKILL} {
		if signal.Ignored(s) {
			t.Logf("%v is ignored by the tests themselves", s)
			continue
		}
		for _, after := range []time.Duration{0, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond} {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			cmd, stderr := start(t, dir, "lab", "testbed", "measure", "--nodes", "6", "--times", "1000", "--least-idle", "0")
			left := func() []string {
				names, err := filepath.Glob(filepath.Join(dir, "*"))
				if err != nil {
					t.Fatal(err)
				}
				return names
			}
			waitFor(t, func() bool { return len(left()) > 0 })
			time.Sleep(after)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if s == syscall.SIGKILL {
				waitFor(t, func() bool { return left() == nil })
				continue
			}
			if code := cmd.ProcessState.ExitCode(); code != fault.ExitInterrupted {
				t.Errorf("%v after %v: exit code %d, want %d", s, after, code, fault.ExitInterrupted)
			}
			if names := left(); names != nil {
				t.Errorf("%v after %v: left %v", s, after, names)
			}
			if text := stderr.String(); strings.Contains(text, "dial") || strings.Contains(text, "no such file") {
				t.Errorf("%v after %v: %s", s, after, text)
			}
		}
	}
}
