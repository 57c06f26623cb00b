package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/aboutcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/release"
)

// TestInterruptedLayout: an interrupt while a result is laid out ends the command at once, and nothing is written. A result
// that a command has after an interrupt is written.
func TestInterruptedLayout(t *testing.T) {
	for _, c := range []struct {
		before bool // the interrupt comes before the result is laid out
		code   int
		want   string
	}{{false, fault.ExitInterrupted, ""}, {true, 0, "[\n"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		block := make(chan struct{})
		row := func(i int) output.Row {
			interrupt()
			if !c.before {
				<-block // for as long as the command would lay out further rows
			}
			return output.Row{output.Data("number", i)}
		}
		p := cli.Program{Unlisted: []cli.Command{{Name: "list", Formats: []string{"json"}, Run: func(inv *cli.Invocation) error {
			if c.before {
				interrupt()
			}
			r := output.NewResult("s")
			r.List(&output.List{Name: "numbers", Len: 2, Row: row})
			return inv.Emit(r)
		}}}}
		var out, errors bytes.Buffer
		if code := p.Run(ctx, []string{"list", "--format", "json"}, strings.NewReader(""), &out, &errors); code != c.code {
			t.Errorf("exit code %d, want %d: %s", code, c.code, &errors)
		}
		if text := out.String(); !strings.Contains(text, c.want) || c.want == "" && text != "" {
			t.Errorf("wrote %q", text)
		}
		close(block)
	}
}

// TestCommandLines: flags stand anywhere, old names call what they called, and mistakes have a remedy that never names
// an old one.
func TestCommandLines(t *testing.T) {
	says := func(inv *cli.Invocation) error {
		_, err := fmt.Fprintln(inv.Stdout, inv.Command, inv.Args, inv.Workers, inv.Given("quiet"))
		return err
	}
	draw := cli.WithOptions(newDrawOptions, func(inv *cli.Invocation, o *drawOptions) error { return says(inv) },
		cli.Command{Name: "draw", Arguments: "FILE", MaxArgs: 2})
	p := cli.Program{
		Unlisted: []cli.Command{draw, aboutcmd.Version(), {Name: "lab", Moved: true, Parts: []cli.Command{
			{Name: "gang", Run: says}, {Name: "testbed", Parts: []cli.Command{{Name: "run", Was: []string{"experiment"}, Run: says}}}}}},
		Topics: []cli.Topic{{Name: "logs"}},
	}
	p.Groups = []cli.Group{{"All", []cli.Command{aboutcmd.Help(&p)}}}
	version := "partwise " + release.Version()
	for _, c := range []struct{ line, want string }{
		{"draw a --size 2", "draw [a] 0 false"},
		{"--workers 2 draw --size=2 a -q", "draw [a] 2 true"},
		{"draw --size 2 a --scale 1 --scale 2 -", "draw [a -] 0 false"},
		{"draw -q -- --a", "draw [--a] 0 true"},
		{"lab gang", "gang [] 0 false"},
		{"gang", "gang [] 0 false"},
		{"lab testbed run", "run [] 0 false"},
		{"testbed run", "run [] 0 false"},
		{"help draw", "partwise draw - "},
		{"draw a -h", "partwise draw - "},
		{"help gang", "partwise lab gang - "},
		{"testbed run --help", "partwise lab testbed run - "},
		{"help logs", "partwise help logs - "},
		{"--help", "partwise - "},
		{"", "partwise - "},
		{"--version", version},
		{"draw -v", version},
		{"lab -V", version},
		{"gan", "error: unknown command \"gan\"\nhint: did you mean \"lab gang\"?"},
		{"gan --x", "error: unknown command \"gan\"\nhint: did you mean \"lab gang\"?"},
		{"lab gan", "error: unknown command \"lab gan\"\nhint: did you mean \"gang\"?"},
		{"lab testbed experimen", "error: unknown command \"lab testbed experimen\"\nhint: partwise help lists the commands"},
		{"lab", "error: lab is not complete: use lab gang, lab testbed\nhint: partwise help lab"},
		{"draw --siz 2", "error: unknown flag \"--siz\"\nhint: did you mean \"--size\"?"},
		{"draw a -size 2", "draw [a] 0 false"},
		{"draw -sise 2", "error: unknown flag \"--sise\"\nhint: did you mean \"--size\"?"},
		{"draw a --size", "error: --size needs a value\nhint: write --size VALUE"},
		{"draw a --quiet=maybe", "error: --quiet: \"maybe\" is not true or false\nhint: partwise --help"},
		{"draw a --workers 0", "error: --workers: 0 is not a positive number\nhint: for example --workers 2"},
		{"draw a --size=", "error: --size needs a value\nhint: for example --size 3"},
		{"draw a --output=", "error: --output needs the name of a file\nhint: for example --output result.json"},
		{"draw", "error: draw needs FILE\nhint: usage: partwise draw FILE"},
		{"draw a b c", "error: draw: one argument too many: \"c\"\nhint: usage: partwise draw FILE"},
		{"draw ''", "error: draw: an argument is empty\nhint: usage: partwise draw FILE"},
		{"draw a '' c", "error: draw: one argument too many: \"c\"\nhint: usage: partwise draw FILE"},
		{"help dra", "error: unknown command \"dra\"\nhint: did you mean \"draw\"?"},
	} {
		var out bytes.Buffer
		words := strings.Fields(c.line)
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "''", "") // as a shell does
		}
		p.Run(context.Background(), words, strings.NewReader(""), &out, &out)
		got := strings.TrimSpace(out.String())
		if strings.HasPrefix(c.want, "partwise") { // a page
			got = got[:min(len(got), len(c.want))]
		}
		if diff := cmp.Diff(strings.TrimSpace(c.want), strings.TrimSpace(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}
