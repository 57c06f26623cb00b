package workload

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// SpeedupEntry is a line of the table of speedups.
type SpeedupEntry struct {
	Name       string
	Parameters []string // the numbers that [NewSpeedup] takes, in this order
	Points     bool     // NewSpeedup takes points instead: a number of nodes, its speedup, and so on
	Doc        string   // what it is, in one line; parameters in capitals
	Example    string   // as [ParseSpeedup] reads it
	make       func(x []float64) (Speedup, error)
}

// Speedups returns the table of all speedups that files and flags can name.
func Speedups() []SpeedupEntry {
	return []SpeedupEntry{
		{
			Name: "linear", Doc: "nothing is lost to parallelism: S(n) = n", Example: "linear",
			make: func([]float64) (Speedup, error) { return Linear{}, nil },
		}, {
			Name: "amdahl", Parameters: []string{"serial"}, Example: "amdahl:0.05",
			Doc: "the share SERIAL of the run time on one node cannot be parallelised: S(n) = 1/(SERIAL + (1 − SERIAL)/n)",
			make: func(x []float64) (Speedup, error) {
				problem := "%v is not a fraction between 0 and 1"
				if meant := measure.Percentage(x[0]); meant != "" {
					problem += "; " + strings.ReplaceAll(meant, "%", "%%")
				}
				return Amdahl{x[0]}, check(x[0] >= 0 && x[0] <= 1, "serial", problem, x[0])
			},
		}, {
			Name: "power", Parameters: []string{"exponent"}, Example: "power:0.9", Doc: "S(n) = n^EXPONENT",
			make: func(x []float64) (Speedup, error) {
				return Power{x[0]}, check(x[0] >= 0 && x[0] <= 1, "exponent", "%v is not between 0 and 1", x[0])
			},
		}, {
			Name: "dowdy", Parameters: []string{"beta"}, Example: "dowdy:20",
			Doc:  "an execution signature: S(n) = (1 + BETA)·n/(BETA + n)",
			make: func(x []float64) (Speedup, error) { return dowdy{Beta: x[0]}, nonnegative("beta", x[0]) },
		}, {
			Name: "dowdy-static", Parameters: []string{"beta", "threads"}, Example: "dowdy-static:20,128",
			Doc: "dowdy:BETA of a job that is split into THREADS once: on n nodes some have ⌈THREADS/n⌉ of them",
			make: func(x []float64) (Speedup, error) {
				return dowdy{x[0], x[1]}, cmp.Or(nonnegative("beta", x[0]), check(x[1] > 0, "threads", "%v is not a positive number", x[1]),
					check(x[1] == math.Trunc(x[1]) && x[1] <= 1<<30, "threads", "%v is not a number of threads", x[1]))
			},
		}, {
			Name: "downey", Parameters: []string{"A", "sigma"}, Example: "downey:64,1",
			Doc: "average parallelism A, whose variance over the run grows with SIGMA",
			make: func(x []float64) (Speedup, error) {
				return Downey{x[0], x[1]}, cmp.Or(check(x[0] >= 1 && !math.IsInf(x[0], 1), "A",
					"%v is not an average parallelism of at least 1", x[0]), nonnegative("sigma", x[1]))
			},
		}, {
			Name: "table", Points: true, Example: "table:1=1,2=1.95,4=3.7",
			Doc:  "measured, and linear between the numbers of NODES that are given",
			make: newTable,
		},
	}
}

// check returns the error of a parameter unless it is valid.
func check(valid bool, parameter, format string, v float64) error {
	if valid {
		return nil
	}
	return invalid(parameter, format, v)
}

func nonnegative(parameter string, v float64) error {
	return check(v >= 0 && !math.IsInf(v, 1), parameter, "%v is not a nonnegative number", v)
}

// NewSpeedup returns the speedup of the table that has a name, with its parameters or points: NewSpeedup("downey", 64, 1), or
// NewSpeedup("table", 1, 1, 2, 1.95). The error is a [*ParameterError].
func NewSpeedup(name string, parameters ...float64) (Speedup, error) {
	e, known := SpeedupNamed(name)
	switch {
	case !known:
		return nil, unknown(name)
	case !e.Points && len(parameters) != len(e.Parameters):
		return nil, e.wrong("%d numbers do not have the form %s", len(parameters), e.form())
	}
	s, err := e.make(parameters)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// unknown returns the error of a text that names no speedup. The remedy is the speedup that was meant, as in amdahl(0.02), or all
// forms.
func unknown(text string) error {
	names := words.Texts(Speedups(), func(e SpeedupEntry) string { return e.Name })
	remedy := "use " + SpeedupForms()
	name := speedupName.FindString(text)
	nearest, near := words.Nearest(name, names)
	parameters := strings.Trim(strings.TrimPrefix(text, name), " :=()")
	switch {
	case near && parameters == "":
		remedy = fmt.Sprintf("did you mean %q?", nearest)
	case near:
		remedy = fmt.Sprintf("did you mean %q?", nearest+":"+parameters)
	}
	return &ParameterError{"", fmt.Sprintf("unknown speedup %q", text), remedy}
}

// speedupName matches the name at the beginning of a speedup.
var speedupName = regexp.MustCompile(`^[A-Za-z-]*`)

// SpeedupNamed returns the line of the table with that name.
func SpeedupNamed(name string) (SpeedupEntry, bool) {
	for _, e := range Speedups() {
		if e.Name == name {
			return e, true
		}
	}
	return SpeedupEntry{}, false
}

// form returns how the speedup is written, such as downey:A,SIGMA.
func (e SpeedupEntry) form() string {
	switch {
	case e.Points:
		return e.Name + ":NODES=SPEEDUP,…"
	case len(e.Parameters) == 0:
		return e.Name
	}
	return e.Name + ":" + strings.ToUpper(strings.Join(e.Parameters, ","))
}

// ParseSpeedup reads a speedup as its String method writes it: linear, amdahl:0.05, downey:64,1, table:1=1,2=1.95. What
// can be named is in [Speedups]. The error is a [*ParameterError]: without the name of a parameter if the text has not
// the form of any.
func ParseSpeedup(text string) (Speedup, error) {
	name, rest, given := strings.Cut(text, ":")
	e, known := SpeedupNamed(name)
	if !known {
		return nil, unknown(text)
	}
	var fields []string
	if given {
		fields = strings.Split(rest, ",")
	}
	if e.Points {
		var sides []string
		for _, f := range fields {
			nodes, speedup, ok := strings.Cut(f, "=")
			if !ok {
				return nil, e.wrong("%q is not a point NODES=SPEEDUP", f)
			}
			sides = append(sides, nodes, speedup)
		}
		fields = sides
	} else if len(fields) != len(e.Parameters) {
		return nil, e.wrong("%q does not have the form %s", text, e.form())
	}
	numbers, err := e.parse(fields)
	if err != nil {
		return nil, err
	}
	return NewSpeedup(name, numbers...)
}

// SpeedupText returns a speedup as [ParseSpeedup] reads it: what its String method writes, "linear" of nil.
func SpeedupText(s Speedup) string {
	if s == nil {
		s = Linear{}
	}
	return fmt.Sprint(s)
}

// wrong returns what is wrong with a text beside an example of what is right.
func (e SpeedupEntry) wrong(format string, args ...any) error {
	return &ParameterError{"", fmt.Sprintf(format, args...), "for example " + e.Example}
}

// parse reads numbers.
func (e SpeedupEntry) parse(texts []string) ([]float64, error) {
	numbers := make([]float64, len(texts))
	for i, text := range texts {
		var ok bool
		if numbers[i], ok = measure.ParseNumber(strings.TrimSpace(text)); !ok {
			return nil, e.wrong("%q is not a number", text)
		}
	}
	return numbers, nil
}

// SpeedupForms lists how all speedups are written: linear, amdahl:SERIAL and so on.
func SpeedupForms() string {
	var all []string
	for _, e := range Speedups() {
		all = append(all, e.form())
	}
	return words.Or(all)
}

// form writes a speedup with its parameters.
func form(name string, parameters ...float64) string {
	all := make([]string, len(parameters))
	for i, v := range parameters {
		all[i] = fmt.Sprint(v)
	}
	return name + ":" + strings.Join(all, ",")
}
