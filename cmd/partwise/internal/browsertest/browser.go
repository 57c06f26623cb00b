// Package browsertest drives a headless Chromium in tests of pages: windows of any width, by day and by night, what the
// page computes, pictures of it and what it asks the network for. Tests are skipped where there is no Chromium.
//
// It speaks the Chrome DevTools Protocol over a pair of pipes, https://chromedevtools.github.io/devtools-protocol.
package browsertest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience is how long a browser may take for an answer.
const patience = 60 * time.Second

// Browser is a Chromium with one page.
type Browser struct {
	t        testing.TB
	to       io.Writer
	session  string
	mu       sync.Mutex
	next     int
	waiting  map[int]chan message
	loaded   chan string // loaders that have come to their end
	requests []string
}

// message is what the browser says: an answer with an id, or an event with a method.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	ours, theirs, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--force-device-scale-factor=1", "--remote-debugging-pipe", "--user-data-dir="+profile(t), "about:blank")
	cmd.ExtraFiles = theirs[:]
	if err := cmd.Start(); err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	b := &Browser{t: t, to: ours[1], waiting: map[int]chan message{}, loaded: make(chan string, 1024)}
	go b.listen(ours[0])
	t.Cleanup(func() {
		b.send("Browser.close", nil)
		_ = cmd.Wait() // its exit code says nothing
		for _, f := range append(ours[:], theirs[:]...) {
			f.Close()
		}
	})
	b.attach()
	return b
}

// pipes returns our ends of two pipes, to read from and to write to, and those of the browser, its files 3 and 4.
func pipes() (ours, theirs [2]*os.File, err error) {
	theirs[0], ours[1], err = os.Pipe()
	if err == nil {
		ours[0], theirs[1], err = os.Pipe()
	}
	return ours, theirs, err
}

func (b *Browser) attach() {
	b.t.Helper()
	var targets struct {
		TargetInfos []struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
		} `json:"targetInfos"`
	}
	b.call("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type != "page" {
			continue
		}
		var attached struct {
			SessionID string `json:"sessionId"`
		}
		b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
		b.session = attached.SessionID
		b.call("Page.enable", nil, nil)
		b.call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
		b.call("Network.enable", nil, nil)
		return
	}
	b.t.Fatal("the browser has no page")
}

func (b *Browser) listen(from io.Reader) {
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if answer := b.waiting[m.ID]; answer != nil {
			delete(b.waiting, m.ID)
			answer <- m
		}
		b.mu.Unlock()
		b.event(&m)
	}
}

func (b *Browser) event(m *message) {
	switch m.Method {
	case "Page.lifecycleEvent":
		var at struct {
			LoaderID string `json:"loaderId"`
			Name     string `json:"name"`
		}
		if json.Unmarshal(m.Params, &at) == nil && at.Name == "load" {
			b.loaded <- at.LoaderID
		}
	case "Network.requestWillBeSent":
		var sent struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if json.Unmarshal(m.Params, &sent) == nil {
			b.mu.Lock()
			b.requests = append(b.requests, sent.Request.URL)
			b.mu.Unlock()
		}
	}
}

// send sends a command and returns where its answer will come.
func (b *Browser) send(method string, params any) chan message {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	answer := make(chan message, 1)
	b.waiting[b.next] = answer
	command := map[string]any{"id": b.next, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	if err != nil {
		b.t.Logf("%s: %v", method, err)
	}
	return answer
}

func (b *Browser) call(method string, params, result any) {
	b.t.Helper()
	select {
	case m := <-b.send(method, params):
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer from the browser", method)
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
	b.navigate("about:blank") // another fragment alone would not load the page anew
	b.navigate("file://" + path + fragment)
}

func (b *Browser) navigate(address string) {
	b.t.Helper()
	var to struct {
		LoaderID string `json:"loaderId"`
	}
	b.call("Page.navigate", map[string]any{"url": address}, &to)
	late := time.After(patience)
	for {
		select {
		case loader := <-b.loaded:
			if loader == to.LoaderID {
				return
			}
		case <-late:
			b.t.Fatalf("%s is not loaded", address)
		}
	}
}

// Eval evaluates an expression in the page, awaits it if it is a promise, and stores its value in result unless that is
// nil.
func (b *Browser) Eval(expression string, result any) {
	b.t.Helper()
	var out struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	if e := out.Exception; e != nil {
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
	var out struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	return out.Data
}

// Print returns the page as PDF, A4.
func (b *Browser) Print() []byte {
	b.t.Helper()
	var out struct{ Data []byte }
	b.call("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true}, &out)
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

// Requests returns the addresses that pages asked for, beside themselves and what is in them.
func (b *Browser) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.requests...)
}

// Wait waits until an expression is true in the page.
func (b *Browser) Wait(expression string) {
	b.t.Helper()
	var ok bool
	b.Eval(fmt.Sprintf(`new Promise((done) => { const began = Date.now(), look = () => {
		if (%s) done(true); else if (Date.now() - began > %d) done(false); else setTimeout(look, 10); }; look(); })`,
		expression, (patience-5*time.Second).Milliseconds()), &ok)
	if !ok {
		b.t.Fatalf("in vain waited for %s", expression)
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
