package main

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/testdata/needs"
)

// mutant is a way to use a file, mutants of which must end in order.
type mutant struct {
	file string // what mutants are made of
	text []byte
	args []string // of the command, FILE standing for the mutant
	data bool     // a table of measurements: mistakes have a row and a column
}

// mutants lists the files of testdata, and a job log, each with the command that reads it.
func mutants(t *testing.T) []mutant {
	t.Helper()
	log := unzipped(t, exampleLog(t))
	all := []mutant{
		{"log.swf", log, []string{"fit", "FILE", "--swf", "work", "--phases", "1"}, true},
		{"replayed.swf", log, []string{"replay", "FILE", "--policy", "easy", "--nodes", "16"}, true},
	}
	columns := map[string]string{
		"runtimes.csv": "runtime", "simulator-coverage.csv": "covered", "simulator-fidelity.csv": "t_model",
		"simulator-policies.csv": "mean_response_time", "simulator-references.csv": "jobs",
	}
	files, err := filepath.Glob("../../testdata/*/*.*")
	if err != nil {
		t.Fatal(err)
	}
	machines, err := filepath.Glob("../../testdata/refs/models/*.json")
	if err != nil || len(machines) == 0 {
		t.Fatalf("%d reference machines, %v", len(machines), err)
	}
	files = append(files, machines...)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := mutant{file: file, text: text, args: []string{"check", "FILE"}}
		base := filepath.Base(file)
		switch {
		case filepath.Ext(file) == ".go", filepath.Ext(file) == ".sh", filepath.Base(filepath.Dir(file)) == "refs":
			continue
		case filepath.Base(filepath.Dir(file)) == "joblogs":
			m.args, m.data = []string{"log", "FILE", "--nodes", "128", "--format", "json"}, true
			m.text = m.text[:min(len(m.text), 5000)]
		case filepath.Ext(file) == ".csv":
			if columns[base] == "" {
				continue // a table of no one quantity
			}
			m.args, m.data = []string{"fit", "FILE", "--column", columns[base], "--phases", "1"}, true
			m.text = m.text[:min(len(m.text), 3000)] // long enough to be hurt everywhere
		case strings.HasSuffix(base, ".ph.json"), strings.HasSuffix(base, ".map.json"):
			m.args = []string{"ph", "show", "FILE"}
		case filepath.Base(filepath.Dir(file)) == "models":
			var reference struct{ Model json.RawMessage }
			if err := json.Unmarshal(text, &reference); err != nil {
				t.Fatal(err)
			}
			m.text = reference.Model
		case filepath.Ext(file) != ".yaml":
			continue
		}
		all = append(all, m)
	}
	return all
}

// fewest returns the number of mutants, of all files together, that there are at least.
func fewest() int {
	if needs.IsLong() {
		return 10_000
	}
	return 1000
}

// TestMutantsEndInOrder hurts every file of testdata in many ways: its bytes, and, where it has any, its structure.
// Whatever it is then, the command that reads it ends soon, without a panic, in a result or in mistakes with their place
// and field, and leaves an output file whole or not at all.
func TestMutantsEndInOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of files; not with -short")
	}
	t.Parallel()
	var mu sync.Mutex
	codes := map[int]int{}
	t.Run("files", func(t *testing.T) {
		all := mutants(t)
		perFile := 1 + fewest()/len(all)
		for _, m := range all {
			t.Run(filepath.Base(m.file), func(t *testing.T) {
				t.Parallel()
				dir := mutantDir(t, m.file)
				h := fnv.New64a()
				h.Write([]byte(filepath.Base(m.file)))
				r := rand.New(rand.NewPCG(1, h.Sum64()))
				for i := range perFile {
					text := hurtBytes(r, m.text)
					if i%2 == 0 && !m.data {
						text = hurtTree(r, m.text, filepath.Ext(m.file))
					}
					code := m.run(t, dir, text)
					if code == fault.ExitOK && m.args[0] == "check" && i%10 == 0 {
						m.solve(t, dir, text)
					}
					mu.Lock()
					codes[code]++
					mu.Unlock()
				}
			})
		}
	})
	total := 0
	for _, n := range codes {
		total += n
	}
	all := total >= fewest() // and not only those of some files
	if all && (codes[fault.ExitInput] < total/3 || codes[fault.ExitOK] < total/20) {
		t.Errorf("%d mutants; by exit code %v", total, codes)
	}
	t.Logf("%d mutants; by exit code %v", total, codes)
	withinMemory(t)
}

// inMemory returns a directory of the test's own, in memory where the system keeps some for files: thousands of results
// that are synced wait for a disk most of the time, which is not what is tested.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "partwise")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// mutantDir returns a directory with what stands beside a file.
func mutantDir(t *testing.T, file string) string {
	t.Helper()
	dir := inMemory(t)
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range beside {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// endless is the time after which a command is taken to hang; the slowest takes a hundredth of it.
const endless = time.Minute

// solve solves a mutant that is a model, or a study at one load: what was accepted can be computed with.
func (m mutant) solve(t *testing.T, dir string, text []byte) {
	t.Helper()
	path, out := filepath.Join(dir, "mutant"+filepath.Ext(m.file)), filepath.Join(dir, "out.json")
	if study, err := modelfile.LoadStudy(path); err != nil || study.Series[0].Model.File != study.File {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), endless)
	defer cancel()
	c := runIn(ctx, "solve", path, "--output", out)
	if ctx.Err() != nil {
		t.Fatalf("no end:\n%s", text)
	}
	if !slices.Contains([]int{fault.ExitOK, fault.ExitUnstable, fault.ExitAccuracy, fault.ExitFailed}, c.code) || inner().MatchString(c.stderr.String()) {
		t.Fatalf("exit code %d: %s\n%s", c.code, &c.stderr, text)
	}
	if data, err := os.ReadFile(out); err == nil && !json.Valid(data) {
		t.Fatalf("an output that is no JSON: %s\n%s", data, text)
	}
	os.Remove(out)
}

// run gives a mutant to the command and returns the exit code.
func (m mutant) run(t *testing.T, dir string, text []byte) int {
	t.Helper()
	name := "mutant" + filepath.Ext(m.file)
	path, out := filepath.Join(dir, name), filepath.Join(dir, "out.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	args := slices.Clone(m.args)
	args[slices.Index(args, "FILE")] = path
	ctx, cancel := context.WithTimeout(t.Context(), endless)
	defer cancel()
	c := runIn(ctx, append(args, "--output", out)...)
	said := strings.ReplaceAll(c.stderr.String(), dir+string(filepath.Separator), "")
	if ctx.Err() != nil {
		t.Fatalf("no end:\n%s", text)
	}
	checkOutput(t, dir, out, c.code, text)
	switch c.code {
	case fault.ExitOK, fault.ExitAccuracy:
	case fault.ExitInput:
		m.checkPlaces(t, said, text)
	default:
		t.Fatalf("exit code %d: %s\n%s", c.code, said, text)
	}
	return c.code
}

// checkOutput checks that the output is whole, or not there, and nothing else was left behind.
func checkOutput(t *testing.T, dir, out string, code int, text []byte) {
	t.Helper()
	data, err := os.ReadFile(out)
	switch {
	case err == nil && code != fault.ExitOK:
		t.Fatalf("exit code %d beside an output:\n%s", code, text)
	case err == nil && !json.Valid(data):
		t.Fatalf("an output that is no JSON: %s\n%s", data, text)
	case err != nil && code == fault.ExitOK:
		t.Fatalf("no output: %v\n%s", err, text)
	}
	os.Remove(out)
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		t.Fatalf("left behind: %v, %v\n%s", left, err, text)
	}
}

var (
	// place is that of a mistake: file, line, column, field; what is wrong with a text as such has no field.
	place  = pattern(`^error: [-\w.]+:\d+:\d+: [^ "]*(\["([^"\\]|\\.)*"\]\S*)?: \S`)
	asText = pattern(`^error: [-\w.]+:\d+:\d+: (is not (YAML|JSON): |the file is empty|the file is not in UTF-8|a second document|` +
		`.* is never closed|.* closes the |a key must be |the alias |the anchor |a tab |expected a mapping with |nested more than )`)
	// row is that of a mistake in a table: file, row and, unless the row as such is wrong, the column.
	row = pattern(`^(error: )?[-\w.]+(:\d+)?: (column \S.*: )?\S`)
	// rowless are mistakes in a table that have no row: what is wrong is that something is nowhere.
	rowless = pattern(`is empty|holds no |no such column|has several columns|cannot be fitted|looks like a job log|` +
		`damaged compression|(column \S+|values): (their mean|too large|all values|more than)`)
	// inner are words that must not be shown to users.
	inner = pattern(`%!|\*spec\.|\*fit\.|phasetype\.| map\[|0xc0[0-9a-f]{8}|interface|goroutine|runtime error|panic`)
)

// checkPlaces checks that every mistake names its place.
func (m mutant) checkPlaces(t *testing.T, said string, text []byte) {
	t.Helper()
	if inner().MatchString(said) {
		t.Fatalf("not for users: %s\n%s", said, text)
	}
	found := false
	for line := range strings.Lines(said) {
		if strings.Contains(line, " | ") || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "warning: ") ||
			strings.HasPrefix(line, "hint: ") {
			continue // the line of the text with its caret, or a doubt
		}
		found = true
		switch {
		case !m.data && !place().MatchString(line) && !asText().MatchString(line):
			t.Fatalf("no place in %q\n%s", line, text)
		case m.data && !row().MatchString(line), m.data && row().FindStringSubmatch(line)[2] == "" && !rowless().MatchString(line):
			t.Fatalf("no row in %q\n%s", line, text)
		}
	}
	if !found {
		t.Fatalf("no mistake in %q\n%s", said, text)
	}
}

// hostile is what an edit puts into a text.
var hostile = []string{
	"", " ", "\n", "\t", "\r\n", ":", ",", ";", "[", "]", "{", "}", "-", "#", "\"", "'", "&a", "*a", "!", "|", ">", "?",
	"%", "@", "0", "-1", "1e308", "1e-320", "1e999", ".nan", "NaN", "inf", "null", "~", "true", "30s", "4 parsecs", "é",
	"\x00", "\xff", "\xef\xbb\xbf", "[1, 2]", "{}", "---\n", "<<: *a", "100000", "99999999999999999999", "0x10", "1_000",
	strings.Repeat("[", 200), strings.Repeat("9", 500), strings.Repeat("a: {", 100), "\u2028", "../../../etc/hostname",
}

// hurtBytes makes one to three random edits of bytes, words or lines.
func hurtBytes(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(3) {
		if len(text) == 0 {
			return text
		}
		at := r.IntN(len(text))
		end := min(len(text), at+r.IntN(1+r.IntN(60)))
		switch r.IntN(8) {
		case 0:
			text[at] ^= 1 << r.IntN(8)
		case 1:
			text = text[:at]
		case 2:
			text = slices.Delete(text, at, end)
		case 3:
			text = slices.Insert(text, at, slices.Clone(text[at:end])...)
		case 4:
			lines := bytes.SplitAfter(text, []byte("\n"))
			i, j := r.IntN(len(lines)), r.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			text = bytes.Join(lines, nil)
		case 5:
			numbers := number().FindAllIndex(text, -1)
			if len(numbers) > 0 {
				n := numbers[r.IntN(len(numbers))]
				text = slices.Replace(text, n[0], n[1], []byte(hostile[r.IntN(len(hostile))])...)
			}
		default:
			text = slices.Replace(text, at, end, []byte(hostile[r.IntN(len(hostile))])...)
		}
	}
	return text
}

var number = pattern(`[-+]?[0-9.]+([eE][-+]?[0-9]+)?`)

// hurtTree makes one or two random edits of the structure of a text in YAML or JSON.
func hurtTree(r *rand.Rand, text []byte, ext string) []byte {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return text
	}
	for range 1 + r.IntN(2) {
		var all []*yaml.Node
		var walk func(n *yaml.Node)
		walk = func(n *yaml.Node) {
			all = append(all, n)
			for _, c := range n.Content {
				walk(c)
			}
		}
		walk(doc.Content[0])
		hurtNode(r, all[r.IntN(len(all))], all[r.IntN(len(all))])
	}
	if ext == ".json" {
		var value any
		if err := doc.Decode(&value); err == nil {
			if out, err := json.Marshal(value); err == nil {
				return out
			}
		}
		return text // such an edit has no JSON
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		return text
	}
	return out
}

// hurtNode makes an edit of a node; other is another one of its tree.
func hurtNode(r *rand.Rand, n, other *yaml.Node) {
	scalars := []string{"-1", "0", "0.5", "2.5", "1e308", "1e-320", ".nan", ".inf", "null", "true", "x", "30s", "-3h", "1e999",
		"4 parsecs", "2/h", "100000", "absent.ph.json", "", "linear", "dynamic", "static:3"}
	switch pair := 2 * r.IntN(1+len(n.Content)/2); r.IntN(9) {
	case 0: // an entry is missing
		if pair+1 < len(n.Content) {
			n.Content = slices.Delete(n.Content, pair, pair+1+(len(n.Content)+1)%2)
		}
	case 1: // an entry is there twice
		if pair+1 < len(n.Content) {
			n.Content = append(n.Content, n.Content[pair:pair+2]...)
		}
	case 2: // a key is unknown
		if n.Kind == yaml.MappingNode && pair < len(n.Content) {
			key := *n.Content[pair]
			key.Value += "s"
			n.Content[pair] = &key
		}
	case 3: // a value is of another kind
		*n = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "1"}}}
	case 4:
		*n = yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "mean"},
			{Kind: yaml.ScalarNode, Value: "1"}}}
	case 5: // a value of elsewhere
		if !partOf(n, other) && !partOf(other, n) {
			*n = *other
		}
	default:
		*n = yaml.Node{Kind: yaml.ScalarNode, Value: scalars[r.IntN(len(scalars))]}
	}
}

// partOf tells whether a node is part of a tree; an edit must not make a tree part of itself.
func partOf(n, tree *yaml.Node) bool {
	return tree == n || slices.ContainsFunc(tree.Content, func(c *yaml.Node) bool { return partOf(n, c) })
}

// FuzzCheck gives any text to the command that reads models and studies. (Commands write files: -fuzzminimizetime 10x
// keeps the search from spending its time on shorter texts.)
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("../../testdata/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		mutant{file: "m.yaml", args: []string{"check", "FILE"}}.run(t, t.TempDir(), text)
	})
}

// FuzzFit gives any text to the command that reads measurements.
func FuzzFit(f *testing.F) {
	f.Add([]byte("job,runtime\n1,20\n2,30.5\n"), false)
	f.Add([]byte("1 0 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, log bool) {
		m := mutant{file: "m.csv", args: []string{"fit", "FILE", "--phases", "1"}, data: true}
		if log {
			m.args = append(m.args, "--swf", "runtime")
		}
		m.run(t, t.TempDir(), text)
	})
}
