package modelfile

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// noise is what an edit puts into a file.
var noise = []string{
	"", " ", "\n", "\t", ":", ",", "[", "]", "{", "}", "-", "#", "\"", "'", "&a", "*a", "!", "|", ">", "?", "%",
	"@", "0", "-1", "1e308", "1e-320", "1e999", ".nan", ".inf", "null", "~", "true", "30s", "x", "é", "\x00", "\xff",
	"mean: 1", "[1, 2]", "{}", "[]", "---\n", "<<: *a", "{exponential: {mean: 1}}", "100000", "scv: 4",
}

// word matches what an edit may take out as a whole.
var word = regexp.MustCompile(`[A-Za-z_]+|[-0-9.e]+|[\[\]{},:]`)

// mutate makes one to four random edits.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		if text == "" {
			return text
		}
		from := r.IntN(len(text))
		to := from
		if r.IntN(2) == 0 {
			if at := word.FindStringIndex(text[from:]); at != nil {
				from, to = from+at[0], from+at[1]
			}
		}
		if r.IntN(8) == 0 { // a whole line
			lines := strings.SplitAfter(text, "\n")
			i, j := r.IntN(len(lines)), r.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]+lines[j]
			text = strings.Join(lines, "")
			continue
		}
		text = text[:from] + noise[r.IntN(len(noise))] + text[to:]
	}
	return text
}

// seeds are correct files that mutations start from, by name.
func seeds(tb testing.TB) map[string]string {
	tb.Helper()
	all := map[string]string{"small.yaml": small}
	for _, c := range dists {
		all["dist "+c.text+".yaml"] = strings.Replace(small, "{exponential: {mean: 1}}", c.text, 1)
	}
	patterns := []string{"examples/measured.yaml", "examples/gpu-training.yaml", "../cmd/partwise/internal/modelcmd/examples/mixed.yaml",
		"ips96/w2-sp2.yaml", "refs/models/0*.json"}
	for _, pattern := range patterns {
		files, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil || len(files) == 0 {
			tb.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				tb.Fatal(err)
			}
			text := string(data)
			if at := strings.Index(text, `"model": `); at >= 0 { // of a reference: the part that is a model
				text = text[at+len(`"model": `) : strings.LastIndex(text, `"expected"`)]
				text = strings.TrimRight(strings.TrimSpace(text), ",")
			}
			all[filepath.Base(f)] = text
		}
	}
	return all
}

// TestMutations edits correct files at random: whatever comes of it, reading ends, without panic, in a model or in
// mistakes that say where.
func TestMutations(t *testing.T) {
	const each = 100
	files, refused, total := seeds(t), 0, 0
	for name, text := range files {
		r := rand.New(rand.NewPCG(1, uint64(len(text))))
		for range each {
			mutated := mutate(r, text)
			total++
			m, err := Parse(name, []byte(mutated))
			if err == nil {
				checkModel(t, m, mutated)
				continue
			}
			refused++
			checkRefusal(t, name, err, mutated)
			if m != nil {
				t.Fatalf("a model beside %v", err)
			}
		}
	}
	if total < 2000 || refused < total/4 {
		t.Errorf("%d of %d files refused", refused, total)
	}
}

// checkModel checks that what was accepted can be computed with.
func checkModel(t *testing.T, m *Model, text string) {
	t.Helper()
	s := m.System
	if !(s.Load() > 0) || len(s.Service) != s.Partitions() || s.Service[0].Phases() == 0 {
		t.Fatalf("load %v, %d service times for N = %d:\n%s", s.Load(), len(s.Service), s.Partitions(), text)
	}
}

// ofText matches mistakes in the text as such, internal what must not be shown to users.
var (
	ofText   = regexp.MustCompile("YAML|JSON|UTF-8|close|tab|anchor|stands for|document|key|a mapping|nested|empty|tag|alias")
	internal = regexp.MustCompile(`%!|\*(modelfile|tree|distribution)\.|phasetype\.| map\[|0x[0-9a-f]{6}|interface`)
)

// checkRefusal checks that every mistake has its place: a line in the text, and, but for what is wrong with the text as
// such, a path.
func checkRefusal(t *testing.T, name string, err error, text string) {
	t.Helper()
	var errs tree.Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("%T: %v", err, err)
	}
	lines := strings.Count(text, "\n") + 1
	for _, e := range errs {
		if e.File != name || e.Line < 1 || e.Line > lines || e.Column < 1 {
			t.Fatalf("no place: %v\n%s", e, text)
		}
		aboutText := e.Line == 1 && e.Column == 1 || ofText.MatchString(e.Problem)
		if e.Path == "" && !aboutText {
			t.Fatalf("no path: %v\n%s", e, text)
		}
		if internal.MatchString(e.Error()) {
			t.Fatalf("not for users: %v", e)
		}
		e.Excerpt()
	}
}

func FuzzParse(f *testing.F) {
	for name, text := range seeds(f) {
		f.Add(filepath.Ext(name), text, "machine.nodes", "4")
	}
	for _, c := range wrong {
		f.Add(".yaml", strings.Replace(small, c.old, c.new, 1), "jobs.service[1].scv", "[1]")
	}
	f.Fuzz(func(t *testing.T, ext, text, path, value string) {
		if ext != ".json" {
			ext = ".yaml"
		}
		if strings.Contains(text, "file") || strings.Contains(value, "file") {
			return // what other files hold is no matter of this text
		}
		if m, err := Parse("m"+ext, []byte(text)); err == nil {
			checkModel(t, m, text)
		}
		if m, err := Parse("m"+ext, []byte(text), tree.Set{Path: path, Value: value}); err == nil {
			checkModel(t, m, text)
		}
		if s, err := ParseStudy("s"+ext, []byte(text)); err == nil && len(s.Series) == 0 {
			t.Fatalf("a study without series: %s", text)
		}
	})
}

// TestStudyMutations edits a study and a distribution file at random.
func TestStudyMutations(t *testing.T) {
	study, err := os.ReadFile("../../testdata/ips96/w2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dist, err := os.ReadFile("../../testdata/examples/checkpoint.ph.json")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 250 {
		text := mutate(r, string(study))
		s, err := ParseStudy("../../testdata/ips96/study.yaml", []byte(text))
		refused += placed(t, err, text)
		if err == nil && (len(s.Series) == 0 || len(s.Loads) == 0) {
			t.Fatalf("an empty study:\n%s", text)
		}
		text = mutate(r, string(dist))
		_, err = ParseDistribution("x.ph.json", []byte(text))
		refused += placed(t, err, text)
	}
	if refused < 100 {
		t.Errorf("%d of 500 files refused", refused)
	}
}

// placed checks that every mistake names file and line, and returns 1 if there is any.
func placed(t *testing.T, err error, text string) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var errs tree.Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("%T: %v\n%s", err, err, text)
	}
	for _, e := range errs {
		if e.File == "" || e.Line < 1 || e.Column < 1 {
			t.Fatalf("no place: %v\n%s", e, text)
		}
	}
	return 1
}
