package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// shape is a type of words, as flags have them.
type shape string

// drawOptions have a flag of each kind.
type drawOptions struct {
	round  bool
	label  string
	size   int
	seed   uint64
	width  float64
	share  float64
	shape  shape
	scales []float64
	sum    string // that Check makes of the others
}

func newDrawOptions() *drawOptions {
	return &drawOptions{label: "none", size: 3, seed: 1, shape: "disc"}
}

func (o *drawOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.Switch(&o.round, "round", "round corners"),
		cli.Text(&o.label, "label", cli.About{Usage: "a `TEXT` beside it"}),
		cli.Int(&o.size, "size", values.PositiveInt, cli.About{Was: []string{"count"}, Usage: "`N` of them", Hint: "for example --size 3"}),
		cli.Seed(&o.seed, "of noise"),
		cli.Number(&o.width, "width", cli.About{Usage: "`X` of lines"}),
		cli.Value(&o.share, "share", values.Share, cli.About{Usage: "`S` that is filled"}),
		cli.Value(&o.shape, "shape", values.OneOf[shape]("no shape", "disc", "square"), cli.About{Usage: "draw a `SHAPE`",
			Default: string(o.shape), Hint: "use disc or square"}),
		cli.Values(&o.scales, "scale", values.PositiveNumber, cli.About{Usage: "by `F`; may be repeated"}),
	}
}

func (o *drawOptions) Check(inv *cli.Invocation) error {
	if o.round && o.shape == "disc" {
		return fault.Usagef("leave --round out", "--round: a disc has no corners")
	}
	share := "none"
	if o.share > 0 {
		share = fmt.Sprint(o.share)
	}
	o.sum = fmt.Sprintf("%v %s %d %d %v %s %s %v", o.round, o.label, o.size, o.seed, o.width, share, o.shape, o.scales)
	return nil
}

// TestOptions: flags that are given are read into the fields of options, others leave them as they are, and mistakes
// are put down to a flag. A second line on the same program begins anew.
func TestOptions(t *testing.T) {
	p := &cli.Program{Unlisted: []cli.Command{cli.WithOptions(newDrawOptions, func(inv *cli.Invocation, o *drawOptions) error {
		_, err := fmt.Fprintln(inv.Stdout, o.sum)
		return err
	}, cli.Command{Name: "draw"})}}
	for _, c := range []struct{ line, want string }{
		{"draw --round --label a --size 5 --seed 9 --width 0.5 --share 25% --shape square --scale 2 --scale 0.1",
			"true a 5 9 0.5 0.25 square [2 0.1]"},
		{"draw", "false none 3 1 0 none disc []"},
		{"draw --size 0", "error: --size: 0 is not a positive number\nhint: for example --size 3"},
		{"draw --size x", "error: --size: \"x\" is not a whole number\nhint: for example --size 3"},
		{"draw --size 3e0", "false none 3 1 0 none disc []"},
		{"draw --size 9007199254740993", "false none 9007199254740993 1 0 none disc []"},
		{"draw --size 2.5", "error: --size: \"2.5\" is not a whole number\nhint: for example --size 3"},
		{"draw --size 1e99", "error: --size: 1e99 is too large\nhint: for example --size 3"},
		{"draw --count 5", "false none 5 1 0 none disc []"},
		{"draw --count x", "error: --size: \"x\" is not a whole number\nhint: for example --size 3"},
		{"draw --coun 5", "error: unknown flag \"--coun\"\nhint: partwise draw --help lists the flags"},
		{"draw --share 120%", "error: --share: \"120%\" is not a share between 0 and 1"},
		{"draw --share 2", "error: --share: \"2\" is not a share between 0 and 1; did you mean 2%?"},
		{"draw --shape cube", "error: --shape: no shape \"cube\"\nhint: use disc or square"},
		{"draw --scale 1 --scale -1", "error: --scale: \"-1\" is not a positive number"},
		{"draw --round", "error: --round: a disc has no corners\nhint: leave --round out"},
	} {
		var out bytes.Buffer
		p.Run(context.Background(), strings.Fields(c.line), strings.NewReader(""), &out, &out)
		if diff := cmp.Diff(c.want+"\n", out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
	page, err := p.Page([]string{"draw"}, false)
	if err != nil {
		t.Fatal(err)
	}
	help := page.Text(80)
	if strings.Contains(help, "count") {
		t.Errorf("help lists an old name:\n%s", help)
	}
	for _, want := range []string{"--label TEXT   a TEXT beside it (default: none)",
		"--size N       N of them (default: 3)",
		"--shape SHAPE  draw a SHAPE (default: disc)", "--round "} {
		if !strings.Contains(help, want) {
			t.Errorf("help does not say %q:\n%s", want, help)
		}
	}
}
