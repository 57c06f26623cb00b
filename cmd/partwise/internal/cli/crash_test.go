package cli_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/markov/parallel"
)

// A mistake of the program, in whatever goroutine, ends it as one, with where to report it.
func TestPanicIsAnInternalError(t *testing.T) {
	p := &cli.Program{Unlisted: []cli.Command{{Name: "fail", Run: func(inv *cli.Invocation) error {
		return parallel.Each(inv.Context, 3, 2, func(i int) error { panic("a \x1b[31mmistake") })
	}}}}
	var out, errors strings.Builder
	code := p.Run(t.Context(), []string{"fail"}, strings.NewReader(""), &out, &errors)
	if text := errors.String(); code != fault.ExitFailure || !strings.HasPrefix(text, `error: internal error: a \x1b[31mmistake`) ||
		!strings.Contains(text, "please report it at https://") || !strings.Contains(text, "crash_test.go") {
		t.Errorf("exit code %d: %s", code, text)
	}
}
