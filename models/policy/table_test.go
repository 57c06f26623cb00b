package policy_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	_ "github.com/partwise/partwise/testdata/phtest"
)

var table = policy.Standard()

// sixNodes can be split into 1, 2, 3 or 6 partitions.
var sixNodes = policy.Machine{Nodes: 6, Unit: 1}

// FuzzParse: a text that is a policy is all of it: what the policy is written as is the same policy.
func FuzzParse(f *testing.F) {
	for _, e := range table {
		for _, parameter := range []string{"", ":", ":1", ":0.5", ":1,2", ":1e300", ":-1", ":nan", ":always", ":3,", ":2 "} {
			f.Add(e.Name + parameter)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := table.Parse(text)
		if err != nil {
			return
		}
		again, err := table.Parse(p.String())
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%q is %#v, written %s, read again %#v, %v", text, p, p, again, err)
		}
	})
}

func TestEveryEntryParsesItsExample(t *testing.T) {
	names := map[string]bool{}
	for _, e := range table {
		if names[e.Name] {
			t.Errorf("%s stands in the table twice", e.Name)
		}
		names[e.Name] = true
		p, err := table.Parse(e.Example)
		if err != nil {
			t.Errorf("%s: %v", e.Example, err)
			continue
		}
		if p.Name() != e.Name || p.String() != e.Example {
			t.Errorf("%s is read as %s and written as %s", e.Example, p.Name(), p)
		}
		if !reflect.TypeOf(p).Comparable() {
			t.Errorf("%s: a %T cannot be compared", e.Example, p)
		}
		if err := p.Check(policy.Machine{Nodes: 64, Unit: 4}); err != nil {
			t.Errorf("%s on 64 nodes: %v", e.Example, err)
		}
		if e.RunsOn&(policy.Chain|policy.WholeNodes|policy.TimeShared) == 0 || e.RunsOn.String() == "" {
			t.Errorf("%s runs on nothing", e.Name)
		}
	}
}

// TestEveryEntryIsDocumented: help and docs have something to show, in the same form.
func TestEveryEntryIsDocumented(t *testing.T) {
	for _, e := range table {
		capital := e.Summary != "" && unicode.IsUpper(rune(e.Summary[0])) && !strings.HasPrefix(e.Summary, "EASY")
		if e.Summary == "" || strings.HasSuffix(e.Summary, ".") || capital {
			t.Errorf("%s: summary %q", e.Name, e.Summary)
		}
		if (e.Parameter == "") != (e.Means == "") || e.Parameter == "" && e.Optional {
			t.Errorf("%s: parameter %q means %q", e.Name, e.Parameter, e.Means)
		}
	}
}

func TestParametersAreNeededOrNot(t *testing.T) {
	for _, e := range table {
		_, bare := table.Parse(e.Name)
		_, empty := table.Parse(e.Name + ":")
		_, given := table.Parse(e.Name + ":no such parameter")
		for what, c := range map[string]struct {
			err  error
			fine bool
		}{
			"without a parameter":      {bare, e.Parameter == "" || e.Optional},
			"with an empty parameter":  {empty, false},
			"with any other parameter": {given, false},
		} {
			var wrong *policy.ParameterError
			if c.fine != (c.err == nil) || c.err != nil && !errors.As(c.err, &wrong) {
				t.Errorf("%s %s: %v", e.Name, what, c.err)
			}
		}
	}
}

// drawPolicy draws any policy of the table, with any parameter.
func drawPolicy(t *rapid.T) policy.Policy {
	count := rapid.IntRange(1, 1<<30)
	positive := rapid.Float64Range(1e-9, 1e9)
	share := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 1}), rapid.Float64Range(0, 1))
	switch e := rapid.SampledFrom(table).Draw(t, "entry"); e.Name {
	case "static":
		return policy.Static{Partitions: count.Draw(t, "K")}
	case "capped":
		return policy.Capped{Jobs: count.Draw(t, "K")}
	case "smoothing":
		scv := rapid.OneOf(rapid.Just(1.0), rapid.Float64Range(0.1, 100)).Draw(t, "scv")
		return policy.Smoothing{Mean: positive.Draw(t, "mean"), SCV: scv}
	case "resize":
		return drawResize(t)
	case "first-fit":
		return policy.FirstFit{Window: count.Draw(t, "W")}
	case "limited":
		return policy.Limited{Demand: rapid.Float64Range(0, 1e12).Draw(t, "demand")}
	case "conservative":
		return policy.Conservative{Compress: rapid.SampledFrom([]policy.Compression{policy.CompressEarly, policy.CompressAlways,
			policy.CompressNever}).Draw(t, "when")}
	case "k":
		return policy.Fraction{K: positive.Draw(t, "K")}
	case string(policy.ASP):
		return policy.Molding{Size: policy.ASP}
	case "dynamic", "folding", "fcfs", "easy", "easy-malleable", "gs", "local", "sb", "sy", "dcs", "dcs-sb", "dcs-sy":
		p, err := e.New("")
		if err != nil {
			t.Fatal(err)
		}
		return p
	case "buddy", "equi", "hybrid", "opt", "heuristic":
		p := policy.Epochs{Rule: policy.EpochRule(e.Name)}
		if rapid.Bool().Draw(t, "a quantum") {
			p.Quantum = positive.Draw(t, "quantum")
		}
		if strings.HasPrefix(e.Parameter, "K") {
			p.Spread = count.Draw(t, "K") - 1
		}
		return p
	case "pb", "pb-sb", "pb-sy":
		waiting := rapid.SampledFrom([]policy.Waiting{policy.Spin, policy.SpinBlock, policy.SpinYield}).Draw(t, "waiting")
		rule := rapid.Uint8Range(0, 4).Draw(t, "rule")
		return policy.Coscheduling{Wait: waiting, Arrival: policy.PeriodicBoost,
			Boost: policy.Heuristic{Rule: rule, Fair: rapid.Bool().Draw(t, "fair")}}
	default:
		return policy.Molding{Size: policy.Size(e.Name), Share: share.Draw(t, "share")}
	}
}

// drawResize draws any rule, parameters that make no difference being 0.
func drawResize(t *rapid.T) policy.Resize {
	some := func(name string) int { return rapid.SampledFrom([]int{0, 2, 3, 7}).Draw(t, name) }
	r := policy.Resize{Floor: some("floor"), Batch: some("batch"), Wait: some("wait"),
		Departures: rapid.Bool().Draw(t, "departures")}
	if rapid.Bool().Draw(t, "cooldown") {
		r.Cooldown, r.SCV = rapid.Float64Range(1e-3, 1e6).Draw(t, "time"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "scv")
	}
	if rapid.Bool().Draw(t, "capped") {
		r.Cap = r.Floor + rapid.IntRange(1, 5).Draw(t, "cap")
	}
	if rapid.Bool().Draw(t, "hysteresis") {
		r.Hysteresis = 1 + rapid.Float64Range(1e-3, 10).Draw(t, "factor")
	}
	return r
}

// TestPoliciesRoundTrip: what a policy writes is read as the same policy.
func TestPoliciesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		again, err := table.Parse(p.String())
		if err != nil || again != p {
			t.Fatalf("%#v is written as %s, read as %#v, %v", p, p, again, err)
		}
	})
}

// TestWholeParametersWithExponent: a parameter that is a whole number may have an exponent, as the numbers of flags may.
func TestWholeParametersWithExponent(t *testing.T) {
	for text, want := range map[string]policy.Policy{"static:1e1": policy.Static{Partitions: 10}, "static:4.0": policy.Static{Partitions: 4},
		"first-fit:2e2": policy.FirstFit{Window: 200}, "heuristic:1e1,60": policy.Epochs{Rule: policy.HeuristicEpoch, Spread: 10, Quantum: 60},
		"resize:cap=1e1": policy.Resize{Cap: 10}} {
		if p, err := table.Parse(text); err != nil || p != want {
			t.Errorf("%s is read as %v, %v", text, p, err)
		}
	}
}

const resizeParameters = "cooldown=TIME, scv=C, cap=JOBS, floor=SHARES, hysteresis=FACTOR, batch=CHANGES, wait=JOBS, " +
	"on=departures"

func TestMistakesSayWhatWouldBeRight(t *testing.T) {
	known := strings.Join(table.Names(), ", ")
	for text, want := range map[string]string{
		"magic":       `unknown policy "magic"; there are ` + known,
		"":            `unknown policy ""; there are ` + known,
		"Dynamic":     `unknown policy "Dynamic"; there are ` + known,
		"dynamic:2":   "policy dynamic:2: dynamic takes no parameter",
		"static":      "policy static: write static:K with a number of partitions",
		"static:":     "policy static:: write static:K with a number of partitions",
		"static:0":    `policy static:0: "0" is not a number of partitions`,
		"static:4.5":  `policy static:4.5: "4.5" is not a number of partitions`,
		"static:1e99": `policy static:1e99: "1e99" is not a number of partitions`,
		"capped:none": `policy capped:none: "none" is not a number of jobs`,
		"smoothing": "policy smoothing: write smoothing:MEAN[,SCV] with the mean of the minimum time between " +
			"repartitions",
		"smoothing:1,2,3": "policy smoothing:1,2,3: give the mean of the minimum time between repartitions, and its " +
			"scv after a comma",
		"limited:-1":          `policy limited:-1: "-1" is not a demand, the largest with which a job is not resized`,
		"limited:Inf":         `policy limited:Inf: "Inf" is not a demand, the largest with which a job is not resized`,
		"conservative:seldom": `policy conservative:seldom: reservations are compressed early, always or never, not "seldom"`,
		"conservative:": "policy conservative:: write conservative[:WHEN] with the time at which reservations are " +
			"compressed: early, always or never",
		"avg:1.5":                     `policy avg:1.5: "1.5" is neither stubborn nor a share between 0 and 1`,
		"avg:NaN":                     `policy avg:NaN: "NaN" is neither stubborn nor a share between 0 and 1`,
		"equi:0":                      `policy equi:0: "0" is not the length of a quantum`,
		"equi:-1":                     `policy equi:-1: "-1" is not the length of a quantum`,
		"hybrid:1,Inf":                `policy hybrid:+Inf: "+Inf" is not the length of a quantum`,
		"opt:-1":                      `policy opt:-1: "-1" is not a number of nodes by which jobs may differ`,
		"heuristic:2,":                `policy heuristic:2,: "2," is not the length of a quantum`,
		"pb:f":                        `policy pb:f: "f" is not one of the heuristics a to e and a' to e'`,
		"sb:a":                        "policy sb:a: sb takes no parameter",
		"resize:cap=0":                "policy resize:cap=0: \"0\" is not a number of jobs",
		"resize:cap=two":              "policy resize:cap=two: \"two\" is not a number of jobs",
		"resize:hysteresis=.9":        "policy resize:hysteresis=.9: \".9\" is not a factor of at least 1",
		"resize:cooldown=-1":          "policy resize:cooldown=-1: \"-1\" is not a time",
		"resize:cap=2,cap=3":          "policy resize:cap=2,cap=3: cap stands there twice",
		"resize:cap=2,floor=3":        "policy resize:cap=2,floor=3: the floor is above the cap",
		"resize:scv=1":                "policy resize:scv=1: scv varies the cooldown, which is 0; set cooldown, or leave scv out",
		"resize:cooldown=1,scv=Inf":   "policy resize:cooldown=1,scv=+Inf: scv=+Inf is not a squared coefficient of variation",
		"resize:on=arrivals":          `policy resize:on=arrivals: "on=arrivals" is none of ` + resizeParameters,
		"resize:cooldown=300,cap=8,,": `policy resize:cooldown=300,cap=8,,: "" is none of ` + resizeParameters,
		"asp:stubborn":                "policy asp:stubborn: asp takes no parameter",
		"k:0":                         `policy k:0: "0" is not a positive fraction of the average parallelism`,
		"k":                           "policy k: write k:K with the fraction of its average parallelism that a job waits for",
	} {
		p, err := table.Parse(text)
		if err == nil || err.Error() != want || p != nil {
			t.Errorf("%s is read as %v, %v; want %s", text, p, err, want)
		}
		var unknown *policy.UnknownError
		var parameter *policy.ParameterError
		if isUnknown := strings.HasPrefix(want, "unknown"); errors.As(err, &unknown) != isUnknown ||
			errors.As(err, &parameter) == isUnknown {
			t.Errorf("%s: the error is a %T", text, err)
		}
	}
	for _, text := range []string{"smoothing:-1", "smoothing:0", "smoothing:Inf", "smoothing:NaN", "smoothing:1,-1"} {
		if p, err := table.Parse(text); !errors.As(err, new(*policy.ParameterError)) || p != nil {
			t.Errorf("%s is read as %v, %v", text, p, err)
		}
	}
}

// TestValuesAreChecked: so are policies that were not parsed.
func TestValuesAreChecked(t *testing.T) {
	for _, p := range []policy.Policy{
		policy.Static{}, policy.Static{Partitions: -2}, policy.Static{Partitions: 4}, policy.Static{Partitions: 12},
		policy.Capped{}, policy.Capped{Jobs: -1}, policy.Capped{Jobs: 7},
		policy.Smoothing{}, policy.Smoothing{Mean: -1, SCV: 1},
		policy.Limited{Demand: -1}, policy.Conservative{Compress: "seldom"},
		policy.Molding{}, policy.Molding{Size: "half"}, policy.Molding{Size: policy.AVG, Share: 1.1},
		policy.Molding{Size: policy.ASP, Share: 0.5}, policy.Fraction{}, policy.Fraction{K: -1},
		policy.Resize{Cap: 7}, policy.Resize{Floor: 7}, policy.Resize{Cap: -1}, policy.Resize{Cooldown: -1},
		policy.Resize{Hysteresis: 0.5}, policy.Resize{Cap: 2, Floor: 3}, policy.Resize{SCV: 1}, policy.Resize{Wait: -1},
		policy.Epochs{}, policy.Epochs{Rule: policy.Buddy}, policy.Epochs{Rule: policy.EquiEpoch, Spread: 1},
		policy.Epochs{Rule: policy.OptEpoch, Quantum: -1},
		policy.Coscheduling{Wait: 3}, policy.Coscheduling{Arrival: 3}, policy.Coscheduling{Boost: policy.Heuristic{Fair: true}},
		policy.Coscheduling{Arrival: policy.PeriodicBoost, Boost: policy.Heuristic{Rule: 5}},
	} {
		if err := p.Check(sixNodes); !errors.As(err, new(*policy.ParameterError)) {
			t.Errorf("%#v: %v", p, err)
		}
	}
}

// TestPoliciesOnMachines: numbers of partitions and of jobs are held against the machine; nothing else depends on it.
func TestPoliciesOnMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.IntRange(1, 8).Draw(t, "unit")
		n := rapid.IntRange(1, 60).Draw(t, "partitions")
		m := policy.Machine{Nodes: n * unit, Unit: unit}
		if m.Partitions() != n {
			t.Fatalf("%+v has %d partitions", m, m.Partitions())
		}
		for k := 1; k <= n+1; k++ {
			if divides := n%k == 0; (policy.Static{Partitions: k}.Check(m) == nil) != divides ||
				slices.Contains(m.Divisors(), k) != divides {
				t.Fatalf("K = %d on %d partitions: %v", k, n, policy.Static{Partitions: k}.Check(m))
			}
			if (policy.Capped{Jobs: k}.Check(m) == nil) != (k <= n) {
				t.Fatalf("at most %d jobs on %d partitions: %v", k, n, policy.Capped{Jobs: k}.Check(m))
			}
		}
		if candidates := policy.Candidates(m); len(candidates) != 1+len(m.Divisors()) || candidates[0] != (policy.Dynamic{}) {
			t.Fatalf("candidates %v", candidates)
		}
		p := drawPolicy(t)
		switch e, _ := p.(policy.Epochs); {
		case e.Rule == policy.Buddy || e.Rule == policy.Hybrid:
			if power := n&(n-1) == 0; power != (p.Check(m) == nil) {
				t.Fatalf("%s on %d partitions: %v", p, n, p.Check(m))
			}
			return
		}
		switch p.(type) {
		case policy.Static, policy.Capped, policy.Resize:
		default:
			if err := p.Check(m); err != nil {
				t.Fatalf("%s: %v", p, err)
			}
		}
	})
}

// TestAlias: a policy may be read by another name.
func TestAlias(t *testing.T) {
	for _, text := range []string{"buddy", "buddy*"} {
		if p, err := table.Parse(text); err != nil || p != (policy.Epochs{Rule: policy.Buddy}) {
			t.Errorf("%s is read as %v, %v", text, p, err)
		}
	}
}

func TestMachinesOfNothing(t *testing.T) {
	for _, m := range []policy.Machine{{}, {Nodes: 8}, {Unit: 1}, {Nodes: -8, Unit: 1}, {Nodes: 8, Unit: -1}} {
		if n := m.Partitions(); n != 0 || len(m.Divisors()) != 0 || len(policy.Statics(m)) != 0 {
			t.Errorf("%+v has %d partitions", m, n)
		}
		for _, p := range []policy.Policy{policy.Static{Partitions: 1}, policy.Capped{Jobs: 1}} {
			if err := p.Check(m); !errors.As(err, new(*policy.ParameterError)) {
				t.Errorf("%s on %+v: %v", p, m, err)
			}
		}
	}
}

func TestSyntax(t *testing.T) {
	want := []string{"dynamic", "static:K", "capped:K", "smoothing:MEAN[,SCV]", "resize[:RULE]", "folding", "limited:DEMAND",
		"fcfs", "first-fit:W", "easy", "easy-malleable",
		"conservative[:WHEN]", "sev[:C]", "avg[:C]", "pws[:C]", "max[:C]", "3/2avg[:C]", "simplified-sev[:C]", "asp", "k:K",
		"buddy[:QUANTUM]", "hybrid:K[,QUANTUM]", "equi[:QUANTUM]", "opt:K[,QUANTUM]", "heuristic:K[,QUANTUM]", "gs",
		"local", "sb", "sy", "dcs", "dcs-sb", "dcs-sy", "pb[:HEURISTIC]", "pb-sb[:HEURISTIC]", "pb-sy[:HEURISTIC]"}
	if diff := cmp.Diff(want, table.Syntax()); diff != "" {
		t.Error(diff)
	}
	for i, s := range table.Syntax() {
		if name := table.Names()[i]; !strings.HasPrefix(s, name) {
			t.Errorf("%s is written %s", name, s)
		}
	}
	if got := (policy.Chain | policy.WholeNodes | policy.TimeShared).String(); got != "chain, machine, cluster" {
		t.Errorf("what runs dynamic: %s", got)
	}
}

// own is a policy that somebody else has made.
type own struct{ Nodes int }

func (own) Name() string                 { return "own" }
func (o own) String() string             { return fmt.Sprintf("own:%d", o.Nodes) }
func (o own) Check(policy.Machine) error { return nil }

// TestAPolicyOfOnesOwn: an entry more is found wherever the table is read.
func TestAPolicyOfOnesOwn(t *testing.T) {
	mine := table.With(policy.Entry{Name: "own", Parameter: "NODES", Means: "a number of nodes", Example: "own:3",
		RunsOn: policy.WholeNodes, Jobs: workload.Moldable, Summary: "gives every job NODES nodes",
		New: func(parameter string) (policy.Policy, error) {
			var o own
			_, err := fmt.Sscan(parameter, &o.Nodes)
			return o, err
		}})
	if len(mine) != len(table)+1 || len(policy.Standard()) != len(table) {
		t.Errorf("%d entries, and %d in the standard table", len(mine), len(policy.Standard()))
	}
	if e, ok := mine.Named("own"); !ok || e.Syntax() != "own:NODES" {
		t.Errorf("the entry %+v, %v", e, ok)
	}
	if p, err := mine.Parse("own:3"); err != nil || p != (own{3}) {
		t.Errorf("read as %#v, %v", p, err)
	}
	if s, err := mine.Select(sixNodes, policy.WholeNodes, "easy", "own:3"); err != nil || s.Run[1] != (own{3}) {
		t.Errorf("selected %+v, %v", s, err)
	}
	for what, list := range map[string][]string{"names": mine.Names(), "syntax": mine.Syntax(),
		"choices": mine.Choices(policy.WholeNodes), "words": mine.Words(policy.WholeNodes),
		"the table": mine.On(policy.WholeNodes).Names()} {
		if last := list[len(list)-1]; !strings.HasPrefix(last, "own") {
			t.Errorf("%s end in %s", what, last)
		}
	}
	if slices.Contains(mine.On(policy.Chain).Names(), "own") {
		t.Error("it has a chain")
	}
	_, err := mine.Parse("owner")
	var unknown *policy.UnknownError
	if !errors.As(err, &unknown) || !slices.Contains(unknown.Known, "own") {
		t.Errorf("the message about another policy does not know it: %v", err)
	}
	if _, err := (policy.Table{}).Parse("own"); fmt.Sprint(err) != `unknown policy "own"; there are none` {
		t.Error(err)
	}
	_, err = mine.Select(sixNodes, policy.Chain, "own:3")
	var runner *policy.RunnerError
	if !errors.As(err, &runner) || runner.RunsOn != policy.WholeNodes {
		t.Errorf("asked of a chain: %v", err)
	}
	// Two tables with an entry more each do not share it.
	other := table.With(entry(func(e *policy.Entry) { e.Name = "other" }))
	if mine[len(mine)-1].Name != "own" || other[len(other)-1].Name != "other" {
		t.Error("one table took the place of another")
	}
}

// entry returns what an entry for the policy own has to have, changed.
func entry(change func(*policy.Entry)) policy.Entry {
	e := policy.Entry{Name: "own", Parameter: "NODES", RunsOn: policy.WholeNodes,
		New: func(parameter string) (policy.Policy, error) {
			nodes, err := strconv.Atoi(parameter)
			return own{nodes}, err
		}}
	change(&e)
	return e
}

// TestEntriesAreChecked: a table with a wrong entry is refused before anything is read with it.
func TestEntriesAreChecked(t *testing.T) {
	if err := table.With(entry(func(*policy.Entry) {})).Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*policy.Entry){
		`policy "": its entry of the table needs a name without a colon`:               func(e *policy.Entry) { e.Name = "" },
		`policy "own:1": its entry of the table needs a name without a colon`:          func(e *policy.Entry) { e.Name = "own:1" },
		"policy easy: its entry of the table has the name of another policy":           func(e *policy.Entry) { e.Name = "easy" },
		"policy buddy*: its entry of the table has the name of another policy":         func(e *policy.Entry) { e.Name = "buddy*" },
		"policy own: its entry of the table has the name of another policy":            func(e *policy.Entry) { e.Alias = "easy" },
		"policy best-static: its entry of the table has the name of another policy":    func(e *policy.Entry) { e.Name = "best-static" },
		"policy own: its entry of the table has no function New":                       func(e *policy.Entry) { e.New = nil },
		"policy own: its entry of the table does not say what it runs on":              func(e *policy.Entry) { e.RunsOn = 0 },
		"policy own: its entry of the table has Mixed, but its Jobs are not malleable": func(e *policy.Entry) { e.Mixed = true },
	} {
		wrong := table.With(entry(change))
		_, parsed := wrong.Parse("easy")
		_, selected := wrong.Select(sixNodes, policy.WholeNodes, "easy")
		for _, err := range []error{wrong.Check(), parsed, selected} {
			if err == nil || err.Error() != want || !errors.As(err, new(*policy.ParameterError)) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// sliced is a policy that cannot be compared with others.
type sliced struct {
	own
	weights []float64
}

// picky is a policy that no machine suits.
type picky struct{ own }

func (picky) Check(policy.Machine) error { return errors.New("the nodes are too few") }

// TestErrorsOfEntries: whatever is wrong with a policy of one's own names the policy.
func TestErrorsOfEntries(t *testing.T) {
	returning := func(p policy.Policy) func(*policy.Entry) {
		return func(e *policy.Entry) { e.New = func(string) (policy.Policy, error) { return p, nil } }
	}
	for want, change := range map[string]func(*policy.Entry){
		`policy own:x: strconv.Atoi: parsing "x": invalid syntax`:                     func(*policy.Entry) {},
		"policy own:x: the nodes are too few":                                         returning(picky{}),
		"policy own:x: its entry of the table makes no policy with the name own":      returning(nil),
		"policy own:x: its entry of the table makes no policy with the name own-name": func(e *policy.Entry) { e.Name = "own-name"; returning(own{})(e) },
		"policy own:x: values of policy_test.sliced cannot be compared; use a type without slices, maps and functions": returning(
			sliced{weights: []float64{1}}),
	} {
		e := entry(change)
		s, err := table.With(e).Select(sixNodes, policy.WholeNodes, e.Name+":x", e.Name+":x")
		want = strings.Replace(want, "own:x", e.Name+":x", 1)
		if s != nil || err == nil || err.Error() != want || !errors.As(err, new(*policy.ParameterError)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
