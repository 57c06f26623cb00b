package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/modelfile"
)

// Attacks on the program in numbers, with -long; a tenth of a hundredth of them without: whatever is tried, there is no wrong
// value, no panic, and no more memory than the limit.
func attacks(most int) int {
	if *long {
		return most
	}
	return most / 100
}

// withinMemory checks the most memory that the process ever had.
func withinMemory(t *testing.T) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not tell the memory of a process")
	}
	var kilobytes int
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("the system does not tell the most memory of a process")
	}
	fmt.Sscan(string(found[1]), &kilobytes)
	if kilobytes > 4<<20 {
		t.Errorf("%d MiB of memory at most, the limit is 4 GiB", kilobytes>>10)
	}
	t.Logf("%d MiB of memory at most", kilobytes>>10)
}

// A model that is accepted means what any reader of its text takes it for: written plainly, without anchors and aliases, by
// another program, it has the same solution, or the same mistakes.
func TestMutantsMeanWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short")
	}
	files, err := filepath.Glob("../../testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 21))
	tried, solved, refused := 0, 0, 0
	for tried < attacks(10_000) {
		file := files[r.IntN(len(files))]
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch r.IntN(4) {
		case 0:
			text = hurtTree(r, text, ".yaml")
		case 1:
			text = hurtBytes(r, text)
		default:
			text = withAliases(r, text)
		}
		tried++
		study, err := modelfile.ParseStudy(file, text)
		if err != nil {
			refused++
			continue
		}
		if study.Series[0].Model.File != study.File || study.Series[0].Model.System.Nodes > 32 {
			continue
		}
		var value any
		if err := yaml.Unmarshal(text, &value); err != nil {
			t.Fatalf("no YAML for another reader: %v\n%s", err, text)
		}
		plain, err := json.Marshal(value)
		if err != nil {
			continue // numbers or keys that JSON has not
		}
		solved++
		a, b := solution(t, file, ".yaml", text), solution(t, file, ".json", plain)
		if a != b {
			t.Errorf("a model\n%s\nthat means\n%s\nhas the solution\n%s\nnot\n%s", text, plain, a, b)
		}
	}
	t.Logf("%d mutants, of which %d were refused and %d solved twice", tried, refused, solved)
	withinMemory(t)
}

// withAliases makes a value, or a key, of a text an alias of another one, of the same text if there is one.
func withAliases(r *rand.Rand, text []byte) []byte {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return text
	}
	var all []*yaml.Node
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			all = append(all, n)
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&doc)
	i := r.IntN(len(all))
	to := all[min(len(all)-1, i+1+r.IntN(len(all)))]
	for _, n := range all[i+1:] {
		if n.Value == all[i].Value {
			to = n
		}
	}
	if to == all[i] {
		return text
	}
	all[i].Anchor = "k"
	*to = yaml.Node{Kind: yaml.AliasNode, Alias: all[i], Value: "k"}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return text
	}
	return out
}

// solution returns the measures of dynamic partitioning of a model, or the exit code.
func solution(t *testing.T, file, ending string, text []byte) string {
	t.Helper()
	path := filepath.Join(mutantDir(t, file), "attack"+ending)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), endless)
	defer cancel()
	c := runIn(ctx, "solve", path, "--policy", "dynamic", "--format", "csv", "--quiet")
	if inner.MatchString(c.stderr.String()) || ctx.Err() != nil {
		t.Fatalf("exit code %d: %s\n%s", c.code, &c.stderr, text)
	}
	return fmt.Sprintf("exit code %d\n%s", c.code, &c.stdout)
}

// modelCommands and logCommands are what may be done with a model and with a job log; FILE stands for it, DIR for a folder.
var modelCommands = []string{
	"check FILE", "solve FILE", "solve FILE --percentiles", "solve FILE --policy dynamic --export DIR/chains", "solve FILE --method subtraction-free",
	"solve FILE --policy smoothing:30", "solve FILE --policy resize:cooldown=60,scv=1,cap=3", "solve FILE --set dynamic.stops=resized",
	"solve FILE --load 99.9999%", "solve FILE --load 1e-6", "simulate FILE --max-jobs 2000", "simulate FILE --fidelity machine --max-jobs 2000 --policy dynamic",
	"validate FILE --fidelity model --max-jobs 2000", "advise FILE --jobs 3000 --over cap", "curve FILE --load 0.3,0.7", "sweep FILE --load 0.3,0.7",
	"breakeven FILE --over dynamic.overhead", "breakeven FILE --over load", "report FILE --output DIR/r.html", "lab compare FILE --jobs 300",
}

var logCommands = []string{
	"log FILE --nodes 128 --allow-skipped", "log FILE --nodes 128 --allow-skipped --convert-to swf", "replay FILE --nodes 128 --policy easy --allow-skipped",
	"replay FILE --nodes 128 --policy dynamic --malleable 20% --allow-skipped", "breakeven FILE --nodes 128 --allow-skipped",
	"advise FILE --nodes 128 --jobs 300 --over cap --allow-skipped", "lab compare FILE --nodes 128 --jobs 100 --allow-skipped", "fit FILE --swf work --phases 2",
	"study FILE --nodes 128 --load 0.5 --allow-skipped --output DIR/s.html",
}

// extreme are numbers that a field may have and hardly any model has.
var extreme = []string{"1e-9", "1e-6", "1e-3", "0.999999", "0.999999999", "1", "2", "7", "64", "1000", "1e5", "1e9", "1e12", "1e18", "3us", "2ns", "10d", "400y", "1e-300", "1e300"}

// hurtNumbers replaces one to three numbers by extreme ones.
func hurtNumbers(r *rand.Rand, text []byte) []byte {
	for range 1 + r.IntN(3) {
		if numbers := number.FindAllIndex(text, -1); len(numbers) > 0 {
			n := numbers[r.IntN(len(numbers))]
			text = slices.Concat(text[:n[0]], []byte(extreme[r.IntN(len(extreme))]), text[n[1]:])
		}
	}
	return text
}

// noNumber matches NaN and infinities in JSON or CSV.
var noNumber = regexp.MustCompile(`[:,] ?[-+]?(NaN|Inf)\b`)

// Whatever is in a model or a job log, every command that takes it ends soon, in a result or in an error that is for
// users, and within its memory.
func TestMutantsOfAllCommands(t *testing.T) {
	if !*long {
		t.Skip("it takes some minutes; with -long")
	}
	all := mutants(t)
	all = slices.DeleteFunc(all, func(m mutant) bool {
		return m.args[0] != "check" && m.args[0] != "log" && m.args[0] != "replay"
	})
	r := rand.New(rand.NewPCG(9, 23))
	codes := map[string]map[int]int{}
	slowest := map[string]time.Duration{}
	for range attacks(10_000) {
		m := all[r.IntN(len(all))]
		commands := modelCommands
		if m.data {
			commands = logCommands
		}
		text := m.text
		switch kind := r.IntN(10); {
		case kind == 0:
			text = hurtBytes(r, text)
		case kind < 3 && !m.data:
			text = hurtTree(r, text, filepath.Ext(m.file))
		case m.data:
			text = hurtNumbers(r, text[:min(len(text), 20_000)])
		default:
			text = hurtNumbers(r, text)
		}
		dir := mutantDir(t, m.file)
		path := filepath.Join(dir, "mutant"+filepath.Ext(m.file))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		command := commands[r.IntN(len(commands))]
		args := strings.Fields(strings.NewReplacer("FILE", path, "DIR", dir).Replace(command))
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*endless) // of a machine that does much else
		c := runIn(ctx, append(args, "--memory", "1GiB", "--quiet")...)
		if ctx.Err() != nil {
			t.Errorf("%s: no end:\n%s", command, text)
		}
		cancel()
		if said := c.stderr.String(); inner.MatchString(said) || c.code == cli.ExitFailure && !strings.Contains(said, "no such file") {
			t.Errorf("%s: exit code %d: %s\n%s", command, c.code, said, text)
		}
		if noNumber.MatchString(c.stdout.String()) {
			t.Errorf("%s: NaN or an infinity:\n%s\n%s", command, &c.stdout, text)
		}
		if codes[command] == nil {
			codes[command] = map[int]int{}
		}
		codes[command][c.code]++
		slowest[command] = max(slowest[command], time.Since(began))
		os.RemoveAll(dir)
	}
	for _, command := range slices.Concat(modelCommands, logCommands) {
		t.Logf("%-70s by exit code %v, at most %v", command, codes[command], slowest[command].Round(time.Millisecond))
	}
	withinMemory(t)
}

// A shard that was damaged, or made by somebody, is refused, or merged into the result that it belongs to.
func TestCraftedJournals(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.yaml")
	if err := os.WriteFile(model, []byte("version: 1\nmachine: {nodes: 4}\narrivals: {interarrival: {exponential: {mean: 1}}, load: 0.5}\n"+
		"jobs: {demand: {exponential: {mean: 2}}, speedup: linear}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ok := func(args ...string) *call {
		c := runIn(t.Context(), args...)
		if c.code != cli.ExitOK {
			t.Fatalf("%v: exit code %d: %s", args, c.code, &c.stderr)
		}
		return c
	}
	out := filepath.Join(dir, "grid.csv")
	for _, shard := range []string{"1/2", "2/2"} {
		ok("sweep", model, "--load", "0.1:0.8:0.1", "--shard", shard, "--output", out, "--quiet")
	}
	shards, err := filepath.Glob(out + ".shard-*")
	if err != nil || len(shards) != 2 {
		t.Fatalf("%v, %v", shards, err)
	}
	want := ok("merge", shards[0], shards[1], "--format", "csv", "--quiet").stdout.String()
	whole, err := os.ReadFile(shards[0])
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 5))
	codes := map[int]int{}
	for i := range attacks(1000) {
		text, forged := hurtBytes(r, whole), i%4 == 0
		if forged {
			text = forge(r, whole)
		}
		if err := os.WriteFile(shards[0], text, 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), endless)
		c := runIn(ctx, "merge", shards[0], shards[1], "--format", "csv", "--quiet", "--plot", filepath.Join(dir, "p.svg"))
		if inner.MatchString(c.stderr.String()) || ctx.Err() != nil {
			t.Fatalf("exit code %d: %s\n%s", c.code, &c.stderr, text)
		}
		cancel()
		// What is signed with a right checksum is taken for what it says: only damage can be found out.
		if got := c.stdout.String(); c.code == cli.ExitOK && got != want && !forged {
			t.Fatalf("merged to\n%s\nof\n%s", got, text)
		}
		codes[c.code]++
	}
	t.Logf("journals by exit code: %v", codes)
	withinMemory(t)
}

// forge changes a number in a record and signs it again.
func forge(r *rand.Rand, text []byte) []byte {
	lines := bytes.Split(bytes.Clone(text), []byte("\n"))
	i := r.IntN(len(lines))
	_, body, ok := bytes.Cut(bytes.TrimSuffix(lines[i], []byte("}")), []byte(`"body":`))
	numbers := number.FindAllIndex(body, -1)
	if !ok || len(numbers) == 0 {
		return text
	}
	n := numbers[r.IntN(len(numbers))]
	body = slices.Concat(body[:n[0]], []byte(hostile[r.IntN(len(hostile))]), body[n[1]:])
	lines[i] = fmt.Appendf(nil, `{"crc32":"%08x","body":%s}`, crc32.ChecksumIEEE(body), body)
	return bytes.Join(lines, []byte("\n"))
}

// acts reports whether a character does something where it is shown.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r))
}

// A name that does something wherever it is shown is only seen.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(11, 13))
	parts := []string{"\x1b[2J", "\x1b]0;x\x07", "\u202e", "\u2066", "\x00", "\r", "\n", "\t", "<script>alert(1)</script>", "]]>", "&#x1b;",
		"<!--", "`", "|", "*", "](javascript:x)", "=cmd()", "@x", "\ufeff", "\ufffe", "\xff", "\u2028", "-->", "\"'", "\\", "é", "𝔘", "%s%n", "{{.}}"}
	for i := range attacks(500) {
		name := "x"
		for range 1 + r.IntN(4) {
			name += parts[r.IntN(len(parts))]
		}
		title, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("m%d.json", i))
		text := fmt.Sprintf(`{"version": 1, "title": %s, "machine": {"nodes": 4}, "arrivals": {"interarrival": {"exponential": {"mean": 1}}, "load": 0.5},
"jobs": {"demand": {"exponential": {"mean": 2}}, "speedup": "linear"}}`, title)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		svg, page := filepath.Join(dir, "p.svg"), filepath.Join(dir, "p.html")
		for _, args := range [][]string{
			{"solve", path, "--policy", "dynamic", "--format", "table"},
			{"solve", path, "--policy", "dynamic", "--format", "markdown"},
			{"solve", path, "--policy", "dynamic", "--format", "json"},
			{"solve", path, "--set", "machine." + strings.ReplaceAll(name, "=", "") + "=1"},
			{"solve", name},
			{"curve", path, "--load", "0.3,0.5", "--plot", svg, "--format", "csv"},
			{"curve", path, "--load", "0.3,0.5", "--plot", page, "--format", "csv"},
			{"report", path, "--format", "markdown"},
		} {
			c := runIn(t.Context(), args...)
			said := c.stdout.String() + c.stderr.String()
			if i := strings.IndexFunc(said, acts); i >= 0 && args[len(args)-1] != "csv" {
				t.Errorf("%q: %q shows %q", args, name, said[max(0, i-20):min(len(said), i+20)])
			}
			if args[len(args)-1] == "markdown" && strings.Contains(said, "<script>") {
				t.Errorf("%q: a script in Markdown", args)
			}
			if strings.Contains(said, "internal error") {
				t.Fatalf("%q: %s", args, said)
			}
		}
		picture, err := os.ReadFile(svg)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%q: no SVG: %v", name, err)
			}
		}
		if text, err := os.ReadFile(page); err != nil || bytes.Contains(text, []byte("<script>alert(1)")) {
			t.Errorf("%q: a script in a page, %v", name, err)
		} else if i := bytes.IndexFunc(text, acts); i >= 0 {
			t.Errorf("%q: a page holds %q", name, text[max(0, i-20):min(len(text), i+20)])
		}
	}
	withinMemory(t)
}
