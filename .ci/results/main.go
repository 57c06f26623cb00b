// The program results reads what go test -json prints. It passes on what go test prints without -json: a line for each package, and
// the output of tests that fail. At the end it counts the skipped tests by reason, which go test keeps to itself.
//
//	go test -json ./... | go run ./.ci/results [-missing fail|pass] [-absent PROGRAM,...]
//
// It fails if a test failed. It also fails if a test was skipped because a program is not installed (see package testdata/needs),
// unless the program is one of -absent, or with -missing pass.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	missing := flag.String("missing", "fail", "what a test does that is skipped for a missing program: fail or pass")
	absent := flag.String("absent", "", "programs, separated by commas, that may be missing")
	flag.Parse()
	r := newResults(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		log.Fatal(err)
	}
	r.summary()
	lacking := r.lacking(strings.Split(*absent, ","))
	switch {
	case r.failed:
		log.Fatal("tests failed")
	case len(lacking) > 0 && *missing != "pass":
		log.Fatalf("tests were skipped for missing programs: %s; install them, or allow that with --allow-missing",
			strings.Join(lacking, ", "))
	}
}

// event is a line of go test -json: see go doc test2json, and for builds go help buildjson.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build
	Test       string
	Elapsed    float64
	Output     string
}

// skippedTest is a test that was skipped.
type skippedTest struct{ pkg, name, reason string }

// results are what was read so far.
type results struct {
	w       io.Writer
	output  map[[2]string]string // of tests that have not passed, by package and test
	skipped []skippedTest
	tests   int
	failed  bool
}

func newResults(w io.Writer) *results { return &results{w: w, output: map[[2]string]string{}} }

// read reads events to their end and writes the lines of packages and the output of failing tests. Lines that are no events, such as
// messages of the go command, are passed on.
func (r *results) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(r.w, lines.Text())
			continue
		}
		r.add(e)
	}
	return lines.Err()
}

func (r *results) add(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "build-fail":
		r.failed = true
	case "output":
		r.output[key] += e.Output
	case "pass", "skip", "fail":
		if e.Test == "" {
			r.endPackage(e)
			return
		}
		r.tests++
		if e.Action == "skip" {
			r.skipped = append(r.skipped, skippedTest{e.Package, e.Test, reasonOf(r.output[key])})
		}
		if e.Action != "fail" {
			delete(r.output, key)
		}
	}
}

// endPackage writes the line of a package and, if the package failed, the output of its tests that did not pass.
func (r *results) endPackage(e event) {
	for _, key := range slices.SortedFunc(maps.Keys(r.output), func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) }) {
		if key[0] != e.Package {
			continue
		}
		if e.Action == "fail" && key[1] != "" {
			fmt.Fprint(r.w, r.output[key])
		}
		if key[1] != "" {
			delete(r.output, key)
		}
	}
	own := strings.Split(strings.TrimSpace(r.output[[2]string{e.Package, ""}]), "\n")
	delete(r.output, [2]string{e.Package, ""})
	if e.Action == "fail" {
		r.failed = true
		fmt.Fprintln(r.w, strings.Join(own, "\n"))
		return
	}
	fmt.Fprintln(r.w, own[len(own)-1])
}

var (
	place   = regexp.MustCompile(`^\s+\S+\.go:\d+: `)
	program = regexp.MustCompile(`^needs the program (\S+):`)
)

// reasonOf returns the reason that a skipped test gave: its last line with a place in a file.
func reasonOf(output string) string {
	reason := "no reason"
	for line := range strings.Lines(output) {
		if at := place.FindString(line); at != "" {
			reason = strings.TrimSpace(line[len(at):])
		}
	}
	return reason
}

// summary writes how many tests were skipped, by reason, with the first test of each reason.
func (r *results) summary() {
	byReason := map[string][]skippedTest{}
	for _, s := range r.skipped {
		byReason[s.reason] = append(byReason[s.reason], s)
	}
	fmt.Fprintf(r.w, "%d of %d tests and subtests were skipped\n", len(r.skipped), r.tests)
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		all := byReason[reason]
		fmt.Fprintf(r.w, "%4d  %s (%s in %s)\n", len(all), reason, all[0].name, all[0].pkg)
	}
}

// lacking returns the programs for which tests were skipped, except those that may be absent.
func (r *results) lacking(absent []string) []string {
	var programs []string
	for _, s := range r.skipped {
		if found := program.FindStringSubmatch(s.reason); found != nil && !slices.Contains(absent, found[1]) {
			programs = append(programs, found[1])
		}
	}
	slices.Sort(programs)
	return slices.Compact(programs)
}
