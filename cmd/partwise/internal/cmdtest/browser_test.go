// Package cmdtest tests the pages that commands write in a headless Chromium: those of pictures, reports and the explorer. It
// also holds the files for other systems to the schemas of these. It consists of tests only.
//
// This file drives the browser: windows of any width, light and dark, what the page computes, pictures of it and what it asks the
// network for. Tests are skipped where there is no Chromium. It speaks the Chrome DevTools Protocol over a pair of pipes,
// https://chromedevtools.github.io/devtools-protocol: each call writes a command and reads messages until the answer to the command.
package cmdtest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// patience is how long a browser may take for an answer.
const patience = 60 * time.Second

// Browser is a Chromium with one page.
type Browser struct {
	t        testing.TB
	commands *os.File
	answers  *os.File
	in       *bufio.Reader // of answers
	session  string        // of the page; "": none yet
	calls    int
	requests []string
}

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := needs.Program(t, "chromium")
	b := &Browser{t: t}
	var err error
	var theirs [2]*os.File // files 3 and 4 of the browser: commands, answers
	theirs[0], b.commands, err = os.Pipe()
	if err == nil {
		b.answers, theirs[1], err = os.Pipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	b.in = bufio.NewReader(b.answers)
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--force-device-scale-factor=1", "--remote-debugging-pipe", "--user-data-dir="+profile(t), "about:blank")
	cmd.ExtraFiles = theirs[:]
	if err := cmd.Start(); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	theirs[0].Close()
	theirs[1].Close()
	t.Cleanup(func() {
		b.commands.Close() // which ends the browser
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		_ = cmd.Wait() // its exit code says nothing
		b.answers.Close()
	})
	b.attach()
	return b
}

// attach opens the session of the page.
func (b *Browser) attach() {
	b.t.Helper()
	var to struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &to)
	b.call("Target.attachToTarget", map[string]any{"targetId": to.TargetID, "flatten": true}, &to)
	b.session = to.SessionID
	b.call("Page.enable", nil, nil)
	b.call("Network.enable", nil, nil)
}

// command is what the browser is told to do.
type command struct {
	ID      int    `json:"id"`
	Session string `json:"sessionId,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// message is what the browser says: the answer to the command with the same ID, or an event with a method.
type message struct {
	ID     int
	Method string
	Params struct{ Request struct{ URL string } }
	Result json.RawMessage
	Error  *struct{ Message string }
}

// call has the browser do a command, and stores the result unless result is nil.
func (b *Browser) call(method string, params, result any) {
	b.t.Helper()
	b.calls++
	text, err := json.Marshal(command{b.calls, b.session, method, params})
	if err == nil {
		_, err = b.commands.Write(append(text, 0))
	}
	if err == nil {
		err = b.answers.SetReadDeadline(time.Now().Add(patience))
	}
	var m message
	for err == nil && m.ID != b.calls {
		if text, err = b.in.ReadBytes(0); err != nil {
			break
		}
		m = message{}
		err = json.Unmarshal(text[:len(text)-1], &m)
		if m.Method == "Network.requestWillBeSent" {
			b.requests = append(b.requests, m.Params.Request.URL)
		}
	}
	switch {
	case err != nil:
		b.t.Fatalf("%s: no answer from the browser: %v", method, err)
	case m.Error != nil:
		b.t.Fatalf("%s: %s", method, m.Error.Message)
	case result == nil:
		return
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// Window gives the page a window and a colour scheme, dark or light.
func (b *Browser) Window(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1,
		"mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "",
		"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Open opens a file and waits until it is loaded. The file may have a fragment behind #.
func (b *Browser) Open(file, fragment string) {
	b.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, address := range []string{"about:blank", "file://" + path + fragment} { // a new fragment alone loads nothing
		b.call("Page.navigate", map[string]any{"url": address}, nil)
		b.Wait(`document.readyState === "complete"`)
	}
}

// Eval evaluates an expression in the page, awaits it if it is a promise, and stores its value in result unless that is
// nil.
func (b *Browser) Eval(expression string, result any) {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	if e := out.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(out.Result.Value, result); err != nil {
		b.t.Fatalf("%s: %v in %s", expression, err, out.Result.Value)
	}
}

// Key presses and releases a key in the element that has the focus.
func (b *Browser) Key(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
	}
}

// Picture returns a picture of the whole page as PNG.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	return b.data("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true})
}

// Print returns the page as PDF, A4.
func (b *Browser) Print() []byte {
	b.t.Helper()
	return b.data("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true})
}

// data returns the file that a command makes.
func (b *Browser) data(method string, params any) []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.call(method, params, &out)
	return out.Data
}

//go:embed faults.js
var faults string

// Faults returns what is wrong with how the page looks at this moment: text whose contrast is less than 4.5 (WCAG 2.1, level
// AA), and a page that is wider than its window.
func (b *Browser) Faults() []string {
	b.t.Helper()
	var found []string
	b.Eval(faults, &found)
	return found
}

// Media shows the page as on a screen or, with "print", as on paper.
func (b *Browser) Media(media string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": media}, nil)
}

// Requests returns the addresses that pages asked for, their own included.
func (b *Browser) Requests() []string {
	b.t.Helper()
	b.Eval("0", nil) // reads the events before the answer
	return slices.Clone(b.requests)
}

// Wait waits until an expression is true in the page.
func (b *Browser) Wait(expression string) {
	b.t.Helper()
	var ok bool
	b.Eval(fmt.Sprintf(`new Promise((done) => { const began = Date.now(), look = () => {
		if (%s) done(true); else if (Date.now() - began > %d) done(false); else setTimeout(look, 10); }; look(); })`,
		expression, (patience-5*time.Second).Milliseconds()), &ok)
	if !ok {
		b.t.Fatalf("waited in vain for %s", expression)
	}
}

// profile returns a folder for the browser. Its processes may write there for a moment after it has ended: removing it is
// tried again, and what is left then is no mistake of what is tested.
func profile(t testing.TB) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "partwise-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 20 {
			if os.RemoveAll(directory) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	return directory
}
