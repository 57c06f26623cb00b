package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

// exceptions are the exports that may panic when they are given zero or wrong values, with the reason: functions, methods,
// and types of which all methods may.
var exceptions = map[string]string{
	"models/measure.Must":             "panics by design: for names that are constants",
	"phasetype.Must":                  "panics by design: for parameters that are constants",
	"phasetype.Dist.AlphaAt":          "takes the number of a phase",
	"phasetype.Dist.ExitAt":           "takes the number of a phase",
	"phasetype.Dist.Rate":             "takes the numbers of phases",
	"phasetype.MAP.Rate0":             "takes the numbers of phases",
	"phasetype.MAP.Rate1":             "takes the numbers of phases",
	"phasetype.Random.AlphaAt":        "takes the number of a phase",
	"phasetype.Random.ExitAt":         "takes the number of a phase",
	"phasetype.Random.Rate":           "takes the numbers of phases",
	"phasetype.Random.UnmarshalJSON":  "called by package json, with a value to write to",
	"validate/replay.Run.Machine":     "is that of the setting in it",
	"validate/machine.Record.Check":   "is that of the job in a record",
	"models/workload.AsLogged":        "takes a job",
	"models/workload.FirstJobs":       "takes a function, which gives jobs",
	"models/workload.FromLog":         "takes a function, which gives jobs",
	"models/workload.OfferOfLog":      "takes a function, which gives jobs",
	"models/workload/joblog.Keep":     "takes a function, which gives jobs",
	"models/workload/joblog.WriteSWF": "takes a function, which gives jobs",
	"models/workload.EstimatesOf":     "takes an estimator",
	"validate.Offered":                "takes a system",
	"markov/parallel.LockFile":        "takes an open file",
	"markov/parallel.Workers":         "takes a function",
	"models/sweep.New":                "takes a study that was read",
	"validate/metric.Log.RatioOf":     "says by NaN that neither log has jobs",
	"validate/sched.EpochSchedule":    "is made by a scheduler",
	"validate/metric.Jackknife":       "takes a function",
	"validate/metric.PseudoValues":    "takes a function",
	"models.TimeSharedMeasures":       "made by TimeSharedMachine.Solve",
	"models/modelfile.Error":          "made by the readers of files",
}

// zeroIsValid are the types whose zero value has a meaning: none of their methods panics on it.
var zeroIsValid = []string{"phasetype.Dist", "phasetype.MAP", "phasetype.Random", "models.System", "models.Measures",
	"models/policy.Machine", "fit.Sketch", "markov.Diagnostics", "markov.Memory"}

// TestExportsTakeWrongValues calls every exported function of the library, and every method that can return an error,
// with nil, zero and wrong values: it returns an error or a value, and never panics, hangs, or returns NaN without an
// error. The program that does so is generated from the exports as they are, so that none is forgotten.
func TestExportsTakeWrongValues(t *testing.T) {
	needs.Long(t, "a program is built and linked")
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := moduleBeside(t, root)
	text, err := os.ReadFile("testdata/walk/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.go": text, "table.go": []byte(exportTable(t, root))} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// exportTable returns the file of the program that lists the exports of all packages but those of tests.
func exportTable(t *testing.T, root string) string {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}\t{{.ImportPath}}", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var imports, functions, types []string
	for line := range strings.Lines(string(out)) {
		dir, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.Contains(path, "/internal/") || strings.Contains(path, "/cmd/") || forTests(path) {
			continue
		}
		short := strings.ReplaceAll(strings.TrimPrefix(path, module), "/", "_")
		names, kinds := exportsOf(t, dir)
		if len(names)+len(kinds) == 0 {
			continue
		}
		imports = append(imports, fmt.Sprintf("%s %q", short, path))
		for _, name := range names {
			if full := strings.TrimPrefix(path, module) + "." + name; exceptions[full] == "" {
				functions = append(functions, fmt.Sprintf("%q: %s.%s,", full, short, name))
			}
		}
		for _, name := range kinds {
			types = append(types, fmt.Sprintf("%q: reflect.TypeFor[%s.%s](),", strings.TrimPrefix(path, module)+"."+name,
				short, name))
		}
	}
	set := func(names iter.Seq[string]) string {
		var all strings.Builder
		for _, name := range slices.Sorted(names) {
			fmt.Fprintf(&all, "%q: true,\n", name)
		}
		return all.String()
	}
	return fmt.Sprintf("package main\n\nimport (\n\"reflect\"\n%s\n)\n\nconst root = %q\n\n"+
		"var functions = map[string]any{\n%s\n}\n\nvar types = map[string]reflect.Type{\n%s\n}\n\n"+
		"var excluded = map[string]bool{\n%s}\n\nvar zeroIsValid = map[string]bool{\n%s}\n", strings.Join(imports, "\n"), root+"/",
		strings.Join(functions, "\n"), strings.Join(types, "\n"), set(maps.Keys(exceptions)), set(slices.Values(zeroIsValid)))
}

// forTests reports whether a package is for tests alone.
func forTests(path string) bool {
	return strings.Contains(path, "test/") || strings.HasSuffix(path, "test") || strings.HasSuffix(path, "draw") ||
		strings.HasSuffix(path, "draws")
}

// exportsOf returns the exported functions and types of a package, those with type parameters left out: they are of no
// use to reflection.
func exportsOf(t *testing.T, dir string) (functions, types []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() && d.Type.TypeParams == nil {
					functions = append(functions, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() && s.TypeParams == nil {
						types = append(types, s.Name.Name)
					}
				}
			}
		}
	}
	return functions, types
}
