package explorer

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// TestPageAsksForNothing: a page has no address of anything else in it, forbids its own scripts to ask for any, and the
// model cannot end the script that it stands in.
func TestPageAsksForNothing(t *testing.T) {
	var text strings.Builder
	page := &Page{Title: "A <b> & B", Model: "title: </script><script>alert(1)</script>"}
	if err := page.write(&text, &solver{[]byte("wasm"), "class Go {}"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "default-src 'none'") {
		t.Error("the page may ask for anything")
	}
	for _, address := range regexp.MustCompile(`https?://[^"' )]*`).FindAllString(text.String(), -1) {
		if address != "http://www.w3.org/2000/svg" {
			t.Errorf("the page names %s", address)
		}
	}
	if regexp.MustCompile(`(src|href)="`).MatchString(text.String()) {
		t.Error("the page refers to another file")
	}
	for _, want := range []string{"A &lt;b&gt; &amp; B", `\u003c/script\u003e`, "class Go {}", "d2FzbQ=="} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text.String(), "alert(1)</script>") {
		t.Error("a model ends the script that it stands in")
	}
}

// TestProgramWithoutSolver: what is not part of the program is not written.
func TestProgramWithoutSolver(t *testing.T) {
	defer func(was *solver) { built = was }(built)
	built = nil
	if err := (&Page{}).Write(io.Discard); !errors.Is(err, ErrNoSolver) || !errors.Is(Available(), ErrNoSolver) {
		t.Errorf("without a solver: %v", err)
	}
}
