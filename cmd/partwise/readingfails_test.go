//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/testdata/needs"
)

// TestFilesThatCannotBeRead: a file whose reading fails is an error of input and output, whatever command reads the file. The memory
// of this process begins with a page that nobody may read.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const broken = "/proc/self/mem"
	for _, line := range []string{"log", "study --nodes 4", "replay --nodes 4 --policy easy", "breakeven --nodes 4", "advise --nodes 4", "fit",
		"fit --swf runtime", "solve", "check", "curve --load 0.5", "simulate", "validate", "report", "init from-log --nodes 4"} {
		words := strings.Fields(line)
		args := append(append([]string{}, words...), broken)
		if c := runIn(t.Context(), args...); c.code != fault.ExitFailure || !strings.Contains(c.stderr.String(), "input/output error") {
			t.Errorf("%v: exit code %d: %s", args, c.code, &c.stderr)
		}
	}
}

// TestFilesThatNeedMoreMemory: a log of more jobs, or a table of more values, than fit into the memory allowed ends with the exit
// code of what is too large, and with a remedy.
func TestFilesThatNeedMoreMemory(t *testing.T) {
	t.Parallel()
	log, table := filepath.Join(t.TempDir(), "jobs.swf"), filepath.Join(t.TempDir(), "values.csv")
	var jobs strings.Builder
	for number := range 2000 {
		fmt.Fprintf(&jobs, "%d 0 5 10 1 -1 -1 1 100 -1 1 1 1 -1 1 -1 -1 -1\n", number+1)
	}
	for path, text := range map[string]string{log: jobs.String(),
		table: "low,high\n" + strings.Repeat("1,2\n", 2000)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"fit " + log + " --swf runtime", "fit " + table + " --column low --upper high",
		"replay " + log + " --nodes 4 --policy easy", "study " + log + " --nodes 4"} {
		c := runIn(t.Context(), append(strings.Fields(line), "--memory", "1MiB")...)
		if c.code != fault.ExitTooLarge || !strings.Contains(c.stderr.String(), "--memory") {
			t.Errorf("%s: exit code %d: %s", line, c.code, &c.stderr)
		}
	}
}

// TestAlarmsWithoutEnd: a replay whose scheduling points or alarms come so often that it would hardly end is given up, and the
// error says which flags help.
func TestAlarmsWithoutEnd(t *testing.T) {
	needs.Long(t, "replays and simulates until the limit of events")
	t.Parallel()
	log, model := aLog(t)
	for _, line := range []string{"replay " + log + " --speedup linear --resize-cost 0s --policy equi:1e-3s",
		"simulate " + model + " --log " + log + " --policy equi:1e-3s"} {
		c := runIn(t.Context(), strings.Fields(line)...)
		if c.code != fault.ExitTooLarge || !strings.Contains(c.stderr.String(), "--resize-at") {
			t.Errorf("%s: exit code %d: %s", line, c.code, &c.stderr)
		}
	}
}
