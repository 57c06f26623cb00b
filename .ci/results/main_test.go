package main

import (
	"slices"
	"strings"
	"testing"
)

const printed = `go: downloading something
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: needs the program fish: it is not installed\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestB","Output":"a log\n"}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p","Elapsed":0.1}
`

func TestResults(t *testing.T) {
	var text strings.Builder
	r := newResults(&text)
	if err := r.read(strings.NewReader(printed)); err != nil {
		t.Fatal(err)
	}
	r.summary()
	want := `go: downloading something
ok  	p	0.1s
1 of 2 tests and subtests were skipped
   1  needs the program fish: it is not installed (TestA in p)
`
	if text.String() != want || r.failed {
		t.Errorf("failed: %v\n got %q\nwant %q", r.failed, &text, want)
	}
	if got := r.lacking(nil); !slices.Equal(got, []string{"fish"}) {
		t.Errorf("missing programs: %v", got)
	}
	if got := r.lacking([]string{"fish"}); len(got) > 0 {
		t.Errorf("fish may be absent, and is missing: %v", got)
	}
}

// TestFailures: what fails is shown, what passes beside it is not.
func TestFailures(t *testing.T) {
	var text strings.Builder
	r := newResults(&text)
	if err := r.read(strings.NewReader(`{"Action":"output","Package":"p","Test":"TestA","Output":"wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"right\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"panic\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"undefined: x\n"}
{"ImportPath":"q","Action":"build-fail"}
`)); err != nil {
		t.Fatal(err)
	}
	if got, want := text.String(), "wrong\npanic\nFAIL\tp\t0.1s\nundefined: x\n"; got != want || !r.failed {
		t.Errorf("failed: %v\n got %q\nwant %q", r.failed, got, want)
	}
}
