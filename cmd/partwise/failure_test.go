//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// writers are command lines of all commands, and of all their flags that name a file to write, with what they write in
// $OUT. TestWritersAreComplete compares them with the table of commands.
var writers = map[string]string{
	"init":        "init gpu-training --output $OUT",
	"check":       "check m.yaml --format json --output $OUT",
	"solve":       "solve m.yaml --output $OUT",
	"policies":    "policies --output $OUT",
	"fit":         "fit data.csv --phases 1:2 --output $OUT",
	"fit map":     "fit data.csv --family map --phases 2 --output $OUT",
	"curve":       "curve m.yaml --load 0.2,0.4 --output $OUT",
	"break plot":  "breakeven m.yaml --over load --steps 2 --from 0.2 --to 0.4 --plot $OUT.svg",
	"curve plot":  "curve m.yaml --load 0.2,0.4 --plot $OUT.svg",
	"curve pdf":   "curve m.yaml --load 0.2,0.4 --plot $OUT.pdf",
	"curve html":  "curve m.yaml --load 0.2,0.4 --plot $OUT.html",
	"sweep":       "sweep m.yaml --load 0.2,0.4 --output $OUT",
	"merge":       "merge whole.shard-1-of-1 --output $OUT",
	"breakeven":   "breakeven m.yaml --over dynamic.overhead --output $OUT",
	"simulate":    "simulate m.yaml --policy dynamic --precision 20% --replications 8 --output $OUT",
	"trace":       "simulate m.yaml --policy dynamic --precision 20% --replications 8 --trace $OUT.csv",
	"validate":    "validate m.yaml --policy dynamic --fidelity model --precision 20% --replications 8 --output $OUT",
	"overheads":   "lab overheads --output $OUT",
	"testbed":     "lab testbed measure --nodes 2 --phase 10ms --gap 60ms --times 2 --mean 50ms --least-idle 0 --output $OUT",
	"testbed svg": "lab testbed measure --nodes 2 --phase 10ms --gap 60ms --times 2 --mean 50ms --least-idle 0 --plot $OUT.svg",
	"testbed run": "lab testbed run --nodes 2 --phase 10ms --gap 60ms --times 2 --mean 50ms --load 0.5 --jobs 10 --replications 2 " +
		"--policies dynamic --least-idle 0 --output $OUT",
	"predictions": "lab testbed run --nodes 2 --phase 10ms --gap 60ms --times 2 --mean 50ms --load 0.5 --jobs 10 --replications 2 " +
		"--policies dynamic --least-idle 0 --predictions $OUT.json",
	"ph show":     "ph show work.ph.json --format json --output $OUT",
	"report":      "report m.yaml --output $OUT.html",
	"schema":      "schema --output $OUT",
	"completion":  "completion bash --output $OUT",
	"version":     "version --output $OUT",
	"help":        "help --output $OUT",
	"man":         "man solve --output $OUT",
	"log":         "log log.swf.gz --output $OUT",
	"log jobs":    "log log.swf.gz --swf-output $OUT.csv",
	"log plot":    "log log.swf.gz --plot $OUT.svg",
	"workload":    "lab workload lublin99 --nodes 16 --jobs 20 --output $OUT",
	"replay":      "replay log.swf.gz --policy easy --output $OUT",
	"replay jobs": "replay log.swf.gz --policy easy --jobs-output $OUT.csv",
	"replay plot": "replay log.swf.gz --policy easy --load 0.5:0.6:0.1 --plot $OUT.svg",
	"study":       "study log.swf.gz --output $OUT.html",
	"study model": "study log.swf.gz --output page.html --model $OUT.yaml",
	"study jobs":  "study log.swf.gz --output page.html --swf-output $OUT.csv",
	"advise":      "advise log.swf.gz --over wait=2 --output $OUT",
	"advise plot": "advise log.swf.gz --over wait=2 --plot $OUT.svg",
	"allocate":    "lab allocate --policies avg --days 2 --output $OUT",
	"strategies":  "lab allocate --policies avg --days 2 --load 0.5,0.7 --plot $OUT.html",
	"epochs":      "lab epochs --nodes 8 --min-nodes 2,5,3 --output $OUT",
	"epochs plot": "lab epochs --nodes 8 --min-nodes 2,5,3 --plot $OUT.svg",
	"cluster":     "lab coschedule --policies gs --nodes 2 --jobs 10 --replications 2 --dedicated 0.1 --output $OUT",
	"bars":        "lab coschedule --policies gs --nodes 2 --jobs 10 --replications 2 --dedicated 0.1 --plot $OUT.svg",
	"sweep plot":  "sweep m.yaml --load 0.2,0.4 --plot $OUT.html",
	"merge plot":  "merge whole.shard-1-of-1 --plot $OUT.svg",
	"fit plot":    "fit data.csv --phases 1:2 --plot $OUT.svg",
	"gantt":       "simulate m.yaml --policy dynamic --precision 20% --replications 8 --gantt $OUT.svg",
	"costs":       "lab overheads --plot $OUT.svg",
	"slurm":       "sweep m.yaml --slurm 2 --output elsewhere.csv",
	"kubernetes":  "sweep m.yaml --kubernetes 2 --output elsewhere.csv",
	"gang":        "lab gang m.yaml --slice 1s --output $OUT",
	"compare":     "lab compare m.yaml --families --length 130 --dedicated 0.1s --output $OUT",
	"comparison":  "lab compare m.yaml --families --length 130 --dedicated 0.1s --plot $OUT.svg",
	"json output": "sweep m.yaml --load 0.2,0.4 --format json --output $OUT",
}

// failureDir is a directory with what the command lines of writers name.
func failureDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var data strings.Builder
	for i := range 60 {
		fmt.Fprintf(&data, "%d\n", 1+i*i%17)
	}
	for name, text := range map[string]string{
		"m.yaml": failureModel, "data.csv": data.String(), "log.swf.gz": exampleLog(t),
		"old": "old", "old.csv": "old", "old.svg": "old", "old.pdf": "old", "old.html": "old",
		"work.ph.json": `{"version": 1, "kind": "phase_type", "time_unit": "s", "alpha": [1], "T": [[-1]]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shard, err := wholeShard()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole.shard-1-of-1"), shard, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// failureModel is the model m.yaml of failureDir.
const failureModel = "version: 1\nmachine: {nodes: 2}\narrivals: {rate: 1, load: 0.5}\n" +
	"jobs: {demand: {exponential: {mean: 30}}, speedup: linear}\n" +
	"dynamic: {shrink: {means: 1}, expand: {means: 1}}\n"

// wholeShard returns the only shard of a sweep of failureModel, which is the same in every directory.
var wholeShard = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "partwise")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "m.yaml"), []byte(failureModel), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command("partwise", "sweep", "m.yaml", "--load", "0.2,0.4", "--output", "whole", "--shard", "1/1")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "whole.shard-1-of-1"))
})

// TestWritersAreComplete: no command, and no flag that names a file to write, is left out of writers.
func TestWritersAreComplete(t *testing.T) {
	writes := func(words ...string) bool {
		for _, line := range writers {
			if strings.HasPrefix(line, words[0]+" ") && strings.Contains(line, " --"+words[1]+" $OUT") {
				return true
			}
		}
		return false
	}
	partwise(policy.Standard()).Every(func(name string, c cli.Command) {
		for _, f := range append(c.Flags(), cli.GlobalFlags()...) {
			value, ok := f.(*urfave.GenericFlag)
			if !ok {
				continue // a switch
			}
			output := strings.HasPrefix(value.Usage, "write ") || strings.Contains(value.Usage, ".svg")
			folder := strings.Contains(value.Usage, "`DIR`") // written beside it and renamed, see the scripts
			if value.TakesFile && output && !folder && !writes(name, value.Name) {
				t.Errorf("no line of writers is of %s --%s", name, value.Name)
			}
		}
	})
}

// tooBusy is in what the testbed says when events fell together because other processes took the processors. It is no
// failure of the command: tests that measure real processes try again.
const tooBusy = "more rounds, or longer gaps, are needed"

// attempts is how often a command line is tried on a machine that is too busy for it.
const attempts = 10

// shell runs a line of bash in a directory and returns its exit code and what it says.
func shell(t *testing.T, dir, line string) (code int, stderr string) {
	t.Helper()
	for range attempts {
		if code, stderr = shellOnce(t, dir, line); !strings.Contains(stderr, tooBusy) {
			break
		}
	}
	return code, stderr
}

func shellOnce(t *testing.T, dir, line string) (code int, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir = dir
	var b bytes.Buffer
	cmd.Stderr = &b
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), b.String()
}

// told checks that a command ended with exit code 1 and one clear line, and left the directory as it was.
func told(t *testing.T, line, dir, before string, code int, stderr, want string) {
	t.Helper()
	last := strings.TrimSpace(stderr)
	last = last[strings.LastIndexByte(last, '\n')+1:]
	if code != fault.ExitFailure || !strings.HasPrefix(last, "error: writing ") || !strings.Contains(last, want) {
		t.Errorf("%s: exit code %d, stderr %q; want %d and %q", line, code, stderr, fault.ExitFailure, want)
	}
	if after := namesIn(t, dir); after != before {
		t.Errorf("%s: leaves %q, there was %q", line, after, before)
	}
}

// TestOutputThatCannotBeWritten: whatever keeps an output from being written, every command says so, ends with exit code 1
// and leaves no part of it; a file that was there keeps what it held. Folders are missing, devices are full and pipes are closed.
func TestOutputThatCannotBeWritten(t *testing.T) {
	needs.Long(t, "runs every command several times")
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	for name, line := range writers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := failureDir(t)
			before := namesIn(t, dir)
			line = "partwise " + line
			file := strings.ReplaceAll(line, "$OUT", "result")
			if strings.Contains(line, "$OUT") {
				old := "old"
				if name == "init" { // never overwrites another text
					code, stderr := shell(t, dir, strings.ReplaceAll(line, "$OUT", old)+" > /dev/null")
					if code != int(fault.ExitUsage) || !strings.Contains(stderr, "old exists") {
						t.Errorf("%s: exit code %d, stderr %q", line, code, stderr)
					}
					old = "result"
				}
				code, stderr := shell(t, dir, "ulimit -f 0; "+strings.ReplaceAll(line, "$OUT", old)+" > /dev/null")
				told(t, file+" without room for a file", dir, before, code, stderr, "file too large")
				for _, old := range []string{"old", "old.csv", "old.svg", "old.pdf", "old.html"} {
					if text, err := os.ReadFile(filepath.Join(dir, old)); err != nil || string(text) != "old" {
						t.Errorf("%s: %s holds %q, %v", line, old, text, err)
					}
				}
				line := strings.ReplaceAll(line, "$OUT", "nowhere/result")
				code, stderr = shell(t, dir, line+" > /dev/null")
				told(t, line, dir, before, code, stderr, "folder nowhere does not exist")
			}
			if strings.HasSuffix(line, "$OUT") { // what it writes can go to standard output
				plain := strings.TrimSuffix(line, " --output $OUT")
				code, stderr := shell(t, dir, plain+" > /dev/full")
				told(t, plain+" > /dev/full", dir, before, code, stderr, "standard output: no space left on device")
				code, stderr = shell(t, dir, strings.ReplaceAll(line, "$OUT", "/dev/full")+" > /dev/null")
				told(t, line+" to /dev/full", dir, before, code, stderr, "/dev/full: no space left on device")
				code, stderr = shell(t, dir, "set -o pipefail; { sleep 0.1; "+plain+"; } | true")
				if code != 0 || strings.Contains(stderr, "pipe") { // whoever reads has read enough, as head has
					t.Errorf("%s to a closed pipe: exit code %d: %s", plain, code, stderr)
				}
			}
		})
	}
}

// TestFullDisk fills a small file system of its own by the journal of a sweep: that is told, and with more room the sweep
// goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := failureDir(t)
	mount := filepath.Join(dir, "small")
	if err := os.Mkdir(mount, 0o755); err != nil {
		t.Fatal(err)
	}
	const sweep = "partwise sweep m.yaml --load 0.01:0.9:0.01 --quiet --output "
	line := "mount -t tmpfs -o size=32k none small || exit 99\n" +
		sweep + "whole.csv || exit 98\n" +
		sweep + "small/out.csv; code=$?; ls small >&2; [ $code = 1 ] || exit 97\n" +
		"mount -o remount,size=4m small || exit 99\n" +
		sweep + "small/out.csv --resume || exit 96\n" +
		"cmp small/out.csv whole.csv || exit 95; ls small >&2"
	cmd := exec.CommandContext(t.Context(), "unshare", "--map-root-user", "--mount", "bash", "-c", line)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 || cmd.ProcessState.ExitCode() == 1 {
		t.Skipf("no file system of its own can be made here: %v: %s", err, &stderr)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	const want = "error: writing small/out.csv.journal: no space left on device\nout.csv.journal\nout.csv\n"
	if stderr.String() != want {
		t.Errorf("stderr %q, want %q", &stderr, want)
	}
}

// slowLines are command lines that take minutes, with the file they would write; sweeps are stopped in
// TestStoppedSweepIsGoneOnWith.
var slowLines = []string{
	"simulate m.yaml --policy dynamic --precision 0.001% --workers 1 --output out",
	"validate m.yaml --policy dynamic --precision 0.001% --workers 1 --output out",
	"fit many.csv --phases 40:50 --workers 1 --output out",
	"solve large.yaml --workers 1 --output out",
	"epochs --experiment response --length 1000000 --replications 100 --workers 1 --output out",
}

// TestInterruptedCommands: Ctrl-C ends every command within the grace it has, with exit code 130, and without a result
// under the final name.
func TestInterruptedCommands(t *testing.T) {
	needs.Concurrency(t)
	if testing.Short() {
		t.Skip("waits for commands to end; not with -short")
	}
	t.Parallel()
	const large = "version: 1\nmachine: {nodes: 48}\narrivals: {interarrival: {hyperexponential: {mean: 1, scv: 9}}, load: 0.9}\n" +
		"jobs: {demand: {phase_type: {alpha: [0.5, 0.3, 0.2], T: [[-1, 0, 0], [0, -3, 0], [0, 0, -9]]}}, speedup: linear}\n" +
		"dynamic: {shrink: {means: 0.1}, expand: {means: 0.1}}\n"
	for _, line := range slowLines {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			t.Parallel()
			dir := failureDir(t)
			var many strings.Builder
			for i := range 50_000 {
				fmt.Fprintf(&many, "%d.5\n", 1+i*i%9973)
			}
			for name, text := range map[string]string{"large.yaml": large, "many.csv": many.String()} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd, stderr := start(t, dir, strings.Fields(line)...)
			waitFor(t, func() bool { return worked(t, cmd.Process.Pid) > 0.2 })
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != fault.ExitInterrupted || !strings.Contains(stderr.String(), "error: interrupted") {
				t.Errorf("%s: %v, stderr %q", line, err, stderr)
			}
			if took := time.Since(began); took > grace+10*time.Second {
				t.Errorf("%s: ends %v after the signal", line, took)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Errorf("%s: there is a result", line)
			}
		})
	}
}
