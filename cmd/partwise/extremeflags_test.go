package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/testdata/needs"
)

// extremeTexts are numbers and times far beyond what any machine has.
var extremeTexts = []string{"1e22", "1e-22", "2305843009213693951", "1e22s", "1e-22s", "1e-9s"}

// cheapCalls are calls of all commands that have flags with values. Each ends in an answer, and takes well below a second. MODEL,
// LOG and DIR stand for files.
var cheapCalls = map[string]string{
	"study": "study LOG --output DIR/s.html", "solve": "solve MODEL", "curve": "curve MODEL --load 0.3", "advise": "advise LOG --jobs 300",
	"breakeven": "breakeven MODEL --over load", "init": "init M/M/4", "log": "log LOG", "fit": "fit VALUES --family cf1",
	"simulate": "simulate MODEL --policy static:2 --precision 0.5", "replay": "replay LOG --policy dynamic",
	"validate": "validate MODEL --policy static:2 --precision 0.5",
	"sweep":    "sweep MODEL --over load=0.3 --policy static:2", "report": "report MODEL --output DIR/r.html",
	"lab allocate":   "lab allocate --policies asp --days 1",
	"lab epochs":     "lab epochs --experiment overhead --draws 10 --jobs 4 --nodes 16",
	"lab coschedule": "lab coschedule --jobs 10 --replications 2 --nodes 4 --policies gs --dedicated 0.1", "lab gang": "lab gang MODEL --slice 60s",
	"lab compare": "lab compare LOG --dedicated 0.1s", "lab overheads": "lab overheads --nodes 8",
	"lab workload": "lab workload lublin99 --nodes 8 --jobs 10",
}

// extremeExceptions are flags that the test leaves out, with the reason.
var extremeExceptions = map[string]string{
	"lab testbed measure": "starts processes", "lab testbed run": "starts processes", "merge": "takes no numbers", "help": "takes no numbers",
}

// extremePolicies are policies whose parameter is extreme.
var extremePolicies = []string{
	"equi:1e-9s", "equi:1e-22s", "equi:1e22s", "smoothing:1e-22", "smoothing:1e22", "static:2305843009213693951", "resize:cooldown=1e-22",
	"resize:cooldown=1e22", "resize:wait=2305843009213693951", "resize:hysteresis=1e22", "resize:batch=2305843009213693951",
	"resize:floor=2305843009213693951", "resize:cooldown=60,scv=1e-22", "resize:cooldown=60,scv=1e22", "capped:2305843009213693951",
	"smoothing:60,1e-22", "smoothing:60,1e22", "first-fit:2305843009213693951", "limited:2305843009213693951",
}

// endlessOnce are calls that once went on without end.
var endlessOnce = []string{
	"replay LOG --policy dynamic --resize-at 1e-22s", "replay LOG --policy dynamic --resize-at 2305843009213693951",
	"simulate MODEL --policy equi:1e-9s --precision 0.5", "advise MODEL --jobs 2305843009213693951", "simulate MODEL --precision 1e-22",
	"lab coschedule --backlog --seconds 1e22 --replications 2 --nodes 4 --policies gs",
	"lab coschedule --backlog --dedicated 1e-9 --nodes 4 --policies gs",
	"lab coschedule --dedicated 1e5", "lab compare LOG --dedicated 1e6",
}

// TestExtremeFlagsEnd gives every flag with a value, of every command, numbers and times far beyond what any machine has, and every
// policy such parameters. Each call ends within seconds in an answer or in a documented refusal. Without -study a sample is drawn.
func TestExtremeFlagsEnd(t *testing.T) {
	needs.Long(t, "calls every command with extreme values")
	files := extremeFiles(t)
	calls := extremeCalls(t, files)
	if !needs.IsStudy() {
		const sampled = 40
		r := rand.New(rand.NewPCG(41, uint64(len(calls))))
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		calls = calls[:sampled]
	}
	for _, call := range endlessOnce {
		calls = append(calls, append(strings.Fields(files.Replace(call)), "--quiet"))
	}
	for _, base := range cheapCalls {
		if code, said, _ := endsWithin(t, append(strings.Fields(files.Replace(base)), "--quiet")); code != 0 {
			t.Errorf("%s: exit code %d: %s", base, code, said)
		}
	}
	for _, call := range calls {
		began := time.Now()
		code, said, ended := endsWithin(t, call)
		if !ended {
			t.Fatalf("%s does not end", strings.Join(call, " "))
		}
		if code == fault.ExitFailure || code == fault.ExitInterrupted || inner().MatchString(said) {
			t.Errorf("%s: exit code %d after %v: %s", strings.Join(call, " "), code, time.Since(began), said)
		}
	}
	t.Logf("%d calls", len(calls))
}

// extremeFiles writes a log and a table of values, and returns what puts their names into calls.
func extremeFiles(t *testing.T) *strings.Replacer {
	dir := t.TempDir()
	log, values := filepath.Join(dir, "log.swf"), filepath.Join(dir, "values.csv")
	var jobs strings.Builder
	jobs.WriteString("; MaxNodes: 16\n; MaxProcs: 16\n")
	for i := range 130 {
		fmt.Fprintf(&jobs, "%d %d 0 %d %d -1 -1 %d 900 -1 1 1 1 1 1 1 -1 -1\n", i+1, 120*i, 60+7*i%500, 1+i%8, 1+i%8)
	}
	for path, text := range map[string]string{log: jobs.String(), values: "1\n2\n3.5\n9\n0.3\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return strings.NewReplacer("MODEL", filepath.FromSlash("../../testdata/ips96/w1-sp2.yaml"), "LOG", log, "VALUES", values, "DIR", dir)
}

// extremeCalls returns all calls with one extreme value.
func extremeCalls(t *testing.T, files *strings.Replacer) (calls [][]string) {
	partwise(policy.Standard()).Every(func(path string, c cli.Command) {
		base, known := cheapCalls[path]
		for _, f := range slices.Concat(c.Flags(), cli.GlobalFlags()) {
			if g, ok := f.(*urfave.GenericFlag); !ok || g.TakesFile || len(c.Flags()) == 0 || extremeExceptions[path] != "" {
				continue
			}
			if !known {
				t.Errorf("%s: no cheap call is listed", path)
				return
			}
			for _, text := range extremeTexts {
				calls = append(calls, append(strings.Fields(files.Replace(base)), "--quiet", "--"+cli.Name(f), text))
			}
		}
	})
	for _, p := range extremePolicies {
		for _, base := range []string{"replay LOG", "simulate MODEL --precision 0.5", "solve MODEL"} {
			calls = append(calls, append(strings.Fields(files.Replace(base)), "--quiet", "--policy", p))
		}
	}
	return calls
}

// endsWithin runs a call in this process. A call that goes on for a minute of a busy machine does not end.
func endsWithin(t *testing.T, call []string) (code int, said string, ended bool) {
	type end struct {
		code int
		said string
	}
	done := make(chan end, 1)
	ctx, cancel := context.WithTimeout(t.Context(), endless)
	defer cancel()
	go func() {
		var stderr strings.Builder
		code := run(ctx, call, strings.NewReader(""), io.Discard, &stderr)
		done <- end{code, stderr.String()}
	}()
	select {
	case e := <-done:
		return e.code, e.said, true
	case <-time.After(endless + 10*time.Second):
		return 0, "", false
	}
}
