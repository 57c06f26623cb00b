package explorer

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/explore"
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

// TestScriptHasNoListOfSliders: the script of the page shows the sliders that the solver lists. It names none but the load, which a
// drag across a curve moves, so that a new slider is no change of the script.
func TestScriptHasNoListOfSliders(t *testing.T) {
	question, err := json.Marshal(explore.Question{Kind: "controls", Model: Start})
	if err != nil {
		t.Fatal(err)
	}
	var controls explore.Controls
	if err := json.Unmarshal(answer.To(t.Context(), question), &controls); err != nil || len(controls.Sliders) < 9 {
		t.Fatalf("%d sliders, %v", len(controls.Sliders), err)
	}
	for _, s := range controls.Sliders {
		if strings.Contains(explorer, s.Label) && s.Key != "load" || strings.Contains(explorer, `"`+s.Key+`"`) && s.Key != "load" && s.Key != "cooldown" {
			t.Errorf("the script of the page names the slider %s, %q", s.Key, s.Label)
		}
	}
}

// TestProgramWithoutSolver: what is not part of the program is compiled by Go, or the reason why not is told.
func TestProgramWithoutSolver(t *testing.T) {
	defer func(was *solver) { built = was }(built)
	built = nil
	if err := (&Page{}).Write(io.Discard); !errors.Is(err, ErrNoSolver) {
		t.Errorf("without a solver: %v", err)
	}
	emptyCache(t)
	t.Setenv("GOTOOLCHAIN", "none-such")
	told := 0
	say := func(string, ...any) { told++ }
	if err := Prepare(t.Context(), say); !errors.Is(err, ErrNoSolver) || !strings.Contains(err.Error(), "none-such") || told != 1 {
		t.Errorf("with a Go that fails: %v, %d notes", err, told)
	}
	t.Setenv("PATH", "")
	if err := Prepare(t.Context(), say); !errors.Is(err, ErrNoSolver) || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without Go: %v", err)
	}
}

// TestKeptSolver: a solver that was compiled for this program is read, not compiled again.
func TestKeptSolver(t *testing.T) {
	cache := emptyCache(t)
	t.Setenv("PATH", "")
	id, err := output.ProgramSum()
	dir := filepath.Join(cache, "partwise", "explorer-"+id)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	for name, text := range map[string]string{programFile: "program", scriptFile: "script"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := kept(t.Context(), func(string, ...any) { t.Error("it is compiled") })
	if err != nil || string(s.compressed) != "program" || s.script != "script" {
		t.Errorf("the solver is %+v, error %v", s, err)
	}
}

// emptyCache gives the test a folder for caches of its own.
func emptyCache(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
