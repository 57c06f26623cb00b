//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/testdata/needs"
)

// TestInterruptedPipe: an interrupt ends a command that waits for a pipe that nobody writes to, at once.
func TestInterruptedPipe(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	// On a busy machine a process may not listen to signals yet, which ends it without an exit code: it is given more time then.
	for after := 300 * time.Millisecond; ; after *= 2 {
		cmd, stderr := start(t, dir, "log", "fifo")
		time.Sleep(after) // it has begun to wait
		began := time.Now()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		if code == -1 && after < endless {
			continue
		}
		if code != fault.ExitInterrupted {
			t.Errorf("exit code %d, want %d: %s", code, fault.ExitInterrupted, stderr)
		}
		if took := time.Since(began); took > grace/2 { // the grace is over after this time, where nothing looks at the signal
			t.Errorf("it ended %v after the signal", took)
		}
		return
	}
}
