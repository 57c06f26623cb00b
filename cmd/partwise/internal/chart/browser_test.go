package chart

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// chromium runs a headless Chromium on a page and returns what it prints.
func chromium(t *testing.T, page string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	args = append(args, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=20000", "file://"+page)
	out, err := exec.CommandContext(t.Context(), path, args...).Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return string(out)
}

// panels returns a figure of three panels with many long names.
func panels() *Figure {
	x := []float64{0.1, 0.2, 0.3, 0.4}
	f := &Figure{Heading: "Twelve lines", XLabel: "relative load", Solid: "dynamic", Dashed: "best static"}
	for i := range 3 {
		p := Panel{Title: fmt.Sprintf("panel %d", i+1), YLabel: "seconds", MayLog: true}
		for k := range 6 {
			f.Series = append(f.Series, fmt.Sprintf("machine %d with bursty arrivals", k+1))
			y := []float64{1 + float64(k), 2, 4, 100}
			p.Lines = append(p.Lines, Line{X: x, Y: y, Series: k}, Line{X: x, Y: x, Series: k, Dashed: true})
		}
		f.Series = f.Series[:6]
		f.Panels = append(f.Panels, p)
	}
	return f
}

var faults = regexp.MustCompile(`data-faults="([^"]*)"`)

// TestPageInABrowser visits a page as a reader does, in windows of telephones, tablets and desks, by day and by night.
func TestPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	visit, err := os.ReadFile("testdata/visit.js")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(pageOf(t, panels()), "</body>", "<script>"+string(visit)+"</script></body>", 1)
	for _, width := range []int{380, 800, 1400} {
		for name, scheme := range map[string]string{"dark": "0", "light": "1"} {
			page := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(page, framed(t, text, width), 0o644); err != nil {
				t.Fatal(err)
			}
			dom := chromium(t, page, "--dump-dom", "--window-size=1500,1000", "--blink-settings=preferredColorScheme="+scheme)
			m := faults.FindStringSubmatch(dom)
			if m == nil {
				t.Fatalf("%d pixels, %s: the visit did not come to its end", width, name)
			}
			var found []string
			if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &found); err != nil {
				t.Fatal(err)
			}
			for _, fault := range found {
				t.Errorf("%d pixels, %s: %s", width, name, fault)
			}
		}
	}
}

// framed returns a page that shows another in a window of its own, as a browser of the desk has none as narrow as that of
// a telephone, and tells what was found in it.
func framed(t *testing.T, text string, width int) []byte {
	t.Helper()
	code, err := json.Marshal(text) // in which < is escaped
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `<!DOCTYPE html><html style="color-scheme: light dark"><body>
<iframe style="width: %dpx; height: 900px; border: 0"></iframe><script>
const frame = document.querySelector("iframe");
frame.srcdoc = %s;
setInterval(() => {
  const found = frame.contentDocument.documentElement.dataset.faults;
  if (found) document.documentElement.dataset.faults = found;
}, 50);
</script></body></html>`, width, code)
}
