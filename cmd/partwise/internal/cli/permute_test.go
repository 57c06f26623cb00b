package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	urfave "github.com/urfave/cli/v2"
)

func TestPermute(t *testing.T) {
	value := func(name string) urfave.Flag { return &urfave.StringFlag{Name: name} }
	all := Program{Commands: []Command{
		{Name: "solve", Flags: []urfave.Flag{value("load"), value("set")}},
		{Name: "fit", Flags: []urfave.Flag{value("column")}},
		{Name: "ph", Parts: []Command{{Name: "show"}}},
		{Name: "version"},
	}}
	for _, c := range []struct{ line, want string }{
		{"solve m.yaml --load 0.7", "solve --load 0.7 -- m.yaml"},
		{"--workers 2 solve --load=0.7 m.yaml", "solve --workers 2 --load=0.7 -- m.yaml"},
		{"solve --set a=-1 m.yaml --set b=--x", "solve --set a=-1 --set b=--x -- m.yaml"},
		{"fit - --column -1", "fit --column -1 -- -"},
		{"solve -q -- -m.yaml", "solve -q -- -m.yaml"},
		{"ph show --format json x", "ph show --format json -- x"},
		{"help solve", "help: solve"},
		{"solve m.yaml -h", "help: solve"},
		{"ph show -h", "help: ph show"},
		{"--help", "help: "},
		{"--version", "version --"},
		{"-v", "version --"},
		{"solve m.yaml -V", "version --"},
		{"ph -v", "version --"},
		{"", ""},
	} {
		line, err := all.permute(strings.Fields(c.line))
		got := strings.Join(line.words, " ")
		if line.help {
			got = "help: " + strings.Join(line.path, " ")
		}
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}
