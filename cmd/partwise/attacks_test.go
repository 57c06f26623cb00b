package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/testdata/needs"
)

// Attacks on the program in numbers, with -study; a tenth of a hundredth of them without: whatever is tried, there is no wrong
// value, no panic, and no more memory than the limit.
func attacks(most int) int {
	if needs.IsStudy() {
		return most
	}
	return most / 100
}

// peak returns the most memory that the process had since its peak was last forgotten, in MiB; 0 if the system does not tell.
func peak() (mebibytes int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	if found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); found != nil {
		fmt.Sscan(string(found[1]), &mebibytes)
	}
	return mebibytes >> 10
}

// forgetPeak gives memory back and makes the peak what the process has now.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // of Linux; elsewhere the peak stays
}

// withinMemory checks the most memory that the process had.
func withinMemory(t *testing.T) {
	t.Helper()
	if most := peak(); most > 4<<10 {
		t.Errorf("%d MiB of memory at most, the limit is 4 GiB", most)
	} else {
		t.Logf("%d MiB of memory at most", most)
	}
}

// worked returns the processor time of a process, in seconds.
func worked(t *testing.T, pid int) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("the system does not tell the processor time of a process")
	}
	_, afterName, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(afterName))
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("%s: %v, %v", stat, err1, err2)
	}
	const ticks = 100 // of a second, in what Linux tells programs
	return (user + system) / ticks
}

// namesIn returns the names in a directory.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
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
	if inner().MatchString(c.stderr.String()) || ctx.Err() != nil {
		t.Fatalf("exit code %d: %s\n%s", c.code, &c.stderr, text)
	}
	return fmt.Sprintf("exit code %d\n%s", c.code, &c.stdout)
}

// modelCommands and logCommands are what may be done with a model and with a job log; FILE stands for it, DIR for a folder.
var modelCommands = []string{
	"check FILE", "solve FILE", "solve FILE --percentiles", "solve FILE --policy dynamic --export DIR/chains", "solve FILE --method subtraction-free",
	"solve FILE --policy smoothing:30", "solve FILE --policy resize:cooldown=60,scv=1,cap=3", "solve FILE --set dynamic.stops=resized",
	"solve FILE --load 99.9999%", "solve FILE --load 1e-6", "simulate FILE --max-jobs 2000",
	"simulate FILE --fidelity machine --max-jobs 2000 --policy dynamic",
	"validate FILE --fidelity model --max-jobs 2000", "advise FILE --jobs 3000 --over cap", "curve FILE --load 0.3,0.7", "sweep FILE --load 0.3,0.7",
	"breakeven FILE --over dynamic.overhead", "breakeven FILE --over load", "report FILE --output DIR/r.html", "lab compare FILE --jobs 300",
	"solve FILE --sensitivity", "solve FILE --set dynamic.stops=resized --load 95%", "lab gang FILE --slice 60s",
}

var logCommands = []string{
	"log FILE --nodes 128 --allow-skipped", "replay FILE --nodes 128 --policy easy --allow-skipped",
	"replay FILE --nodes 128 --policy dynamic --malleable 20% --allow-skipped", "breakeven FILE --nodes 128 --allow-skipped",
	"advise FILE --nodes 128 --jobs 300 --over cap --allow-skipped", "lab compare FILE --nodes 128 --jobs 100 --allow-skipped",
	"fit FILE --swf work --phases 2",
	"study FILE --nodes 128 --load 0.5 --allow-skipped --output DIR/s.html",
}

// extreme are numbers that a field may have and hardly any model has.
var extreme = []string{"1e-9", "1e-6", "1e-3", "0.999999", "0.999999999", "1", "2", "7", "64", "1000", "1e5", "1e9", "1e12",
	"1e18", "3us", "2ns", "10d", "400y", "1e-300", "1e300"}

// hurtNumbers replaces one to three numbers by extreme ones, or by up to ten thousand times as much or as little.
func hurtNumbers(r *rand.Rand, text []byte) []byte {
	for range 1 + r.IntN(3) {
		numbers := number().FindAllIndex(text, -1)
		if len(numbers) == 0 {
			return text
		}
		n := numbers[r.IntN(len(numbers))]
		if bytes.HasSuffix(bytes.TrimRight(text[:n[0]], `": `), []byte("version")) {
			continue
		}
		by := extreme[r.IntN(len(extreme))]
		if x, err := strconv.ParseFloat(string(text[n[0]:n[1]]), 64); err == nil && r.IntN(3) > 0 {
			by = fmt.Sprintf("%.3g", x*math.Pow(10, 8*r.Float64()-4))
		}
		text = slices.Concat(text[:n[0]], []byte(by), text[n[1]:])
	}
	return text
}

// noNumber matches NaN and infinities in JSON or CSV.
var noNumber = pattern(`[:,] ?[-+]?(NaN|Inf)\b`)

// Mutants of all commands: how many, from which seed. 10,000 take about two hours of one processor.
var (
	mutantCount = flag.Int("mutants", 1000, "try so many mutants of all commands, with -study")
	mutantSeed  = flag.Uint64("mutantseed", 23, "draw the mutants of all commands from this seed")
)

// Whatever is in a model or a job log, every command that takes it ends within a minute of processor time, in a result or in an
// error that is for users, and within its memory. What it prints has no contradictions, and chains have the same solution
// by a second method, to the bounds of both.
func TestMutantsOfAllCommands(t *testing.T) {
	needs.Study(t, "tries a thousand mutants of all commands")
	var all, data []mutant
	for _, m := range mutants(t) {
		if study, err := modelfile.ParseStudy(m.file, m.text); m.args[0] == "check" && err == nil && study.Series[0].Model.File == study.File {
			all = append(all, m)
		} else if m.args[0] == "log" || m.args[0] == "replay" {
			data = append(data, m)
		}
	}
	for name, text := range askedModels { // whose numbers are free of each other, unlike those of matrices
		for range len(all) / 3 {
			all = append(all, mutant{file: name + ".yaml", text: []byte("version: 1\n" + text)})
		}
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return strings.Compare(a.file, b.file) })
	r := rand.New(rand.NewPCG(9, *mutantSeed))
	codes := map[string]map[int]int{}
	slowest, largest, compared := map[string]float64{}, map[string]int{}, 0
	for range *mutantCount {
		m, commands := all[r.IntN(len(all))], modelCommands
		if r.IntN(4) == 0 {
			m, commands = data[r.IntN(len(data))], logCommands
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
		before := namesIn(t, dir)
		forgetPeak()
		began := worked(t, os.Getpid())
		ctx, cancel := context.WithTimeout(t.Context(), 5*endless) // of a machine that does much else
		run := func(more ...string) *call {
			return runIn(ctx, slices.Concat(args, []string{"--memory", "1GiB", "--quiet"}, more)...)
		}
		c := run()
		took := worked(t, os.Getpid()) - began
		wrong := func(format string, args ...any) {
			t.Errorf("%s of %s: %s\n%s", command, m.file, fmt.Sprintf(format, args...), text)
		}
		if ctx.Err() != nil || took > endless.Seconds() {
			wrong("it took %.0f s", took)
		}
		// The tests themselves have some 100 MiB, and the garbage collector sees memory only when it is there.
		if most := peak(); most > 1024+512 {
			wrong("%d MiB of 1 GiB", most)
		}
		if said := c.stderr.String(); inner().MatchString(said) || c.code == fault.ExitFailure && !strings.Contains(said, "no such file") {
			wrong("exit code %d: %s", c.code, said)
		}
		if noNumber().MatchString(c.stdout.String()) {
			wrong("NaN or an infinity: %s", &c.stdout)
		}
		if c.code == fault.ExitOK || c.code == fault.ExitUnstable {
			if odd := contradictions(c.stdout.Bytes()); odd != "" {
				wrong("%s", odd)
			}
		}
		if c.code != fault.ExitOK && namesIn(t, dir) != before && !strings.Contains(command, "DIR") && !strings.Contains(c.stderr.String(), "partial") {
			wrong("exit code %d, and files %s", c.code, namesIn(t, dir))
		}
		for _, name := range strings.Fields(namesIn(t, dir)) {
			if strings.Contains(name, ".tmp") {
				wrong("left %s", name)
			}
		}
		if args[0] == "solve" && c.code == fault.ExitOK && !strings.Contains(command, "--method") && !strings.Contains(command, "--percentiles") &&
			!strings.Contains(command, "--export") && !strings.Contains(command, "--sensitivity") {
			second := "subtraction-free"
			if bytes.Contains(c.stdout.Bytes(), []byte(`"method": "subtraction-free"`)) {
				second = "cyclic-reduction"
			}
			if other := run("--method", second); other.code == fault.ExitOK && ctx.Err() == nil {
				compared++
				if odd := disagreement(t, c.stdout.Bytes(), other.stdout.Bytes()); odd != "" {
					wrong("by %s: %s", second, odd)
				}
			}
		}
		cancel()
		if codes[command] == nil {
			codes[command] = map[int]int{}
		}
		codes[command][c.code]++
		slowest[command], largest[command] = max(slowest[command], took), max(largest[command], peak())
		os.RemoveAll(dir)
	}
	for _, command := range slices.Concat(modelCommands, logCommands) {
		t.Logf("%-70s by exit code %v, at most %.1f s, %d MiB", command, codes[command], slowest[command], largest[command])
	}
	t.Logf("%d were solved by a second method", compared)
}

// share matches the names of measures between 0 and 1, positive those of measures that are not negative.
var (
	share    = pattern(`^(probability_.*|utilization|efficiency|useful_utilization|decay_rate|.*_share)$`)
	positive = pattern(`^(mean_(response|waiting|run)_time|mean_.*jobs|mean_.*slowdown|variance_jobs|throughput|.*_rate|load|traffic_intensity)$`)
)

// roundoff is what sums of measures may differ by that are equal by theory, the bounds of their errors aside.
const roundoff = 1e-9

// contradictions returns what cannot be in a result in JSON, "" if there is nothing; what is no JSON has no contradictions.
func contradictions(text []byte) string {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return ""
	}
	var odd []string
	var walk func(key string, value any)
	number := func(key string, x float64) {
		if share().MatchString(key) && !(0 <= x && x <= 1+roundoff) || positive().MatchString(key) && !(x >= 0) {
			odd = append(odd, fmt.Sprintf("%s is %v", key, x))
		}
	}
	walk = func(key string, value any) {
		switch v := value.(type) {
		case float64:
			number(key, v)
		case []any:
			sum := 0.0
			for _, e := range v {
				walk(key, e)
				if x, ok := e.(float64); ok && key == "level_probabilities" {
					number("probability_level", x)
					sum += x
				}
			}
			if sum > 1+roundoff {
				odd = append(odd, fmt.Sprintf("%s add up to %v", key, sum))
			}
		case map[string]any:
			for k, e := range v {
				if k == "mean" {
					k = key
				}
				walk(k, e)
			}
			odd = append(odd, identities(v)...)
		}
	}
	walk("", value)
	return strings.Join(odd, ", ")
}

// identities returns the laws that an object of measures breaks.
func identities(v map[string]any) (broken []string) {
	off := roundoff
	if d, ok := v["diagnostics"].(map[string]any); ok {
		if bound, ok := d["error_bound"].(float64); ok {
			off += 3 * bound
		}
	}
	of := func(key string) float64 {
		if x, ok := v[key].(float64); ok {
			return x
		}
		return math.NaN()
	}
	equal := func(law string, a, b float64) {
		if math.Abs(a-b) > off*max(math.Abs(a), math.Abs(b)) {
			broken = append(broken, fmt.Sprintf("%s: %v, %v", law, a, b))
		}
	}
	ordered := func(law string, list ...float64) {
		for i := range list[1:] {
			if list[i] > list[i+1]+off*math.Abs(list[i]) {
				broken = append(broken, fmt.Sprintf("%s: %v", law, list))
			}
		}
	}
	if _, intervals := v["mean_jobs"].(float64); intervals {
		equal("Little's law", of("mean_jobs"), of("throughput")*of("mean_response_time"))
		equal("Little's law of the queue", of("mean_waiting_jobs"), of("throughput")*of("mean_waiting_time"))
		ordered("waiting jobs", of("mean_waiting_jobs"), of("mean_jobs"))
		ordered("repartitions", of("shrink_rate")+of("expand_rate"), of("repartition_rate"), of("shrink_rate")+of("expand_rate"))
		ordered("empty and repartitioning", of("probability_empty")+of("probability_repartition"), 1)
	}
	ordered("interval", of("low"), of("mean"), of("high"))
	ordered("percentiles", of("50"), of("90"), of("95"), of("99"))
	return broken
}

// disagreement returns in what two solutions of a model differ by more than the bounds that both state.
func disagreement(t *testing.T, a, b []byte) string {
	t.Helper()
	type diagnostics struct {
		Method        string
		ErrorBound    float64 `json:"error_bound"`
		ErrorPerLevel float64 `json:"error_per_level"`
	}
	read := func(text []byte) map[string]map[string]any {
		var out struct{ Results []map[string]any }
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		rows := map[string]map[string]any{}
		for _, row := range out.Results {
			rows[fmt.Sprint(row["policy"], row["partitions"])] = row
		}
		return rows
	}
	trust := func(row map[string]any) (d diagnostics) {
		text, err := json.Marshal(row["diagnostics"])
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var odd []string
	other := read(b)
	for policy, row := range read(a) {
		second := other[policy]
		if second == nil || row["diagnostics"] == nil || second["diagnostics"] == nil {
			continue
		}
		d, e := trust(row), trust(second)
		bound, perLevel := d.ErrorBound+e.ErrorBound, d.ErrorPerLevel+e.ErrorPerLevel
		compare := func(key string, x, y, bound float64) {
			const tiny = 1e-290 // below, numbers lose digits to underflow
			if off := math.Abs(x - y); off > bound*max(math.Abs(x), math.Abs(y)) && max(math.Abs(x), math.Abs(y)) > tiny {
				odd = append(odd, fmt.Sprintf("%s, %s: %v by %s, %v by %s, differ by %.2g, more than %.2g", policy, key, x, d.Method, y, e.Method,
					off/math.Abs(y), bound))
			}
		}
		for key, x := range row {
			switch y := second[key].(type) {
			case float64:
				if key == "variance_jobs" {
					compare(key, x.(float64), y, 2*bound)
				} else if share().MatchString(key) || positive().MatchString(key) {
					compare(key, x.(float64), y, bound)
				}
			case []any:
				for l, y := range y {
					if x, ok := x.([]any); ok && l < len(x) && key == "level_probabilities" && len(odd) == 0 {
						compare(fmt.Sprint(key, " ", l), x[l].(float64), y.(float64), bound+float64(l)*perLevel)
					}
				}
			}
		}
	}
	return strings.Join(odd, "\n")
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
		if c.code != fault.ExitOK {
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
		if inner().MatchString(c.stderr.String()) || ctx.Err() != nil {
			t.Fatalf("exit code %d: %s\n%s", c.code, &c.stderr, text)
		}
		cancel()
		// What is signed with a right checksum is taken for what it says: only damage can be found out.
		if got := c.stdout.String(); c.code == fault.ExitOK && got != want && !forged {
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
	numbers := number().FindAllIndex(body, -1)
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
