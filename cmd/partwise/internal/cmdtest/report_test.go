package cmdtest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/testdata/needs"
)

// TestReportInABrowser: a report of many series fits into windows of all widths and onto paper, with all columns of its
// tables; its text can be read by day and by night, and it asks for nothing.
func TestReportInABrowser(t *testing.T) {
	needs.Long(t, "starts a browser")
	b := Start(t)
	page := filepath.Join(t.TempDir(), "report.html")
	p := &cli.Program{Unlisted: []cli.Command{reportcmd.Command()}}
	line := []string{"report", "../../../../testdata/ips96/w1.yaml", "--set", "load=[0.2,0.4]", "--quiet", "-o", page}
	if code := p.Run(context.Background(), line, strings.NewReader(""), io.Discard, os.Stderr); code != 0 {
		t.Fatalf("the report ends with code %d", code)
	}
	for _, scheme := range []string{"dark", "light"} {
		for _, width := range []int{380, 800, 1400} {
			b.Window(width, 900, scheme)
			b.Open(page, "")
			for _, fault := range b.Faults() {
				t.Errorf("%d pixels, %s: %s", width, scheme, fault)
			}
		}
	}
	b.Window(718, 1000, "light") // A4 without its margins
	b.Media("print")
	b.Open(page, "")
	b.Eval(`dispatchEvent(new Event("beforeprint"))`, nil)
	var cut []string
	b.Eval(`[...document.querySelectorAll("td, th, pre, svg")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
		.map((e) => e.textContent.slice(0, 40))`, &cut)
	for _, text := range append(cut, b.Faults()...) {
		t.Errorf("on paper: %s", text)
	}
	for _, address := range b.Requests() {
		if address != "about:blank" && address != "file://"+page {
			t.Errorf("the report asks for %s", address)
		}
	}
}
