package workload

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// SpeedupEntry is a line of the table of speedups.
type SpeedupEntry struct {
	Name       string
	Parameters []string // the numbers that New takes, in this order
	Points     bool     // New takes points instead: a number of nodes, its speedup, and so on
	Doc        string   // what it is, in one line; parameters in capitals
	Example    string   // as [ParseSpeedup] reads it
	New        func(numbers []float64) (Speedup, error)
}

// Speedups is the table of all speedups that files and flags can name.
func Speedups() []SpeedupEntry { return slices.Clone(speedups) }

var speedups = []SpeedupEntry{
	{
		Name: "linear", Doc: "nothing is lost to parallelism: S(n) = n", Example: "linear",
		New: func([]float64) (Speedup, error) { return Linear{}, nil },
	}, {
		Name: "amdahl", Parameters: []string{"serial"}, Example: "amdahl:0.05",
		Doc: "the share SERIAL of the run time on one node cannot be parallelised: S(n) = 1/(SERIAL + (1 − SERIAL)/n)",
		New: func(x []float64) (Speedup, error) { return speedup(NewAmdahl(x[0])) },
	}, {
		Name: "power", Parameters: []string{"exponent"}, Example: "power:0.9", Doc: "S(n) = n^EXPONENT",
		New: func(x []float64) (Speedup, error) { return speedup(NewPower(x[0])) },
	}, {
		Name: "dowdy", Parameters: []string{"beta"}, Example: "dowdy:20",
		Doc: "an execution signature: S(n) = (1 + BETA)·n/(BETA + n)",
		New: func(x []float64) (Speedup, error) { return NewDowdy(x[0], 0) },
	}, {
		Name: "dowdy-static", Parameters: []string{"beta", "threads"}, Example: "dowdy-static:20,128",
		Doc: "dowdy:BETA of a job that is split into THREADS once: on n nodes some have ⌈THREADS/n⌉ of them",
		New: func(x []float64) (Speedup, error) {
			if x[1] != math.Trunc(x[1]) || math.Abs(x[1]) > 1<<30 {
				return nil, invalid("threads", "%v is not a number of threads", x[1])
			}
			if x[1] == 0 {
				return nil, invalid("threads", "0 is not a positive number")
			}
			return NewDowdy(x[0], int(x[1]))
		},
	}, {
		Name: "downey", Parameters: []string{"A", "sigma"}, Example: "downey:64,1",
		Doc: "average parallelism A, whose variance over the run grows with SIGMA",
		New: func(x []float64) (Speedup, error) { return speedup(newDowney(x[0], x[1])) },
	}, {
		Name: "table", Points: true, Example: "table:1=1,2=1.95,4=3.7",
		Doc: "measured, and linear between the numbers of NODES that are given",
		New: func(x []float64) (Speedup, error) {
			nodes, speedups := make([]float64, len(x)/2), make([]float64, len(x)/2)
			for i := range nodes {
				nodes[i], speedups[i] = x[2*i], x[2*i+1]
			}
			return NewTable(nodes, speedups)
		},
	},
}

// speedup makes the result of a constructor a Speedup, which is nil if there is an error.
func speedup[S Speedup](s S, err error) (Speedup, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// SpeedupNamed returns the line of the table with that name.
func SpeedupNamed(name string) (SpeedupEntry, bool) {
	for _, e := range speedups {
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
		return nil, &ParameterError{"", fmt.Sprintf("unknown speedup %q", name), "use " + SpeedupForms()}
	}
	var fields []string
	if given {
		fields = strings.Split(rest, ",")
	}
	if e.Points {
		return e.ofPoints(fields)
	}
	if len(fields) != len(e.Parameters) {
		return nil, e.wrong("%q does not have the form %s", text, e.form())
	}
	numbers := make([]float64, len(fields))
	for i, f := range fields {
		var err error
		if numbers[i], err = e.parse(f); err != nil {
			return nil, err
		}
	}
	return e.New(numbers)
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

// ofPoints makes a speedup of points such as 2=1.95.
func (e SpeedupEntry) ofPoints(fields []string) (Speedup, error) {
	var numbers []float64
	for _, f := range fields {
		nodes, speedup, ok := strings.Cut(f, "=")
		if !ok {
			return nil, e.wrong("%q is not a point NODES=SPEEDUP", f)
		}
		for _, part := range []string{nodes, speedup} {
			v, err := e.parse(part)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, v)
		}
	}
	return e.New(numbers)
}

// parse reads a number.
func (e SpeedupEntry) parse(text string) (float64, error) {
	v, ok := measure.ParseNumber(strings.TrimSpace(text))
	if !ok {
		return 0, e.wrong("%q is not a number", text)
	}
	return v, nil
}

// SpeedupForms lists how all speedups are written: linear, amdahl:SERIAL and so on.
func SpeedupForms() string {
	all := make([]string, len(speedups))
	for i, e := range speedups {
		all[i] = e.form()
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// form writes a speedup with its parameters.
func form(name string, parameters ...float64) string {
	all := make([]string, len(parameters))
	for i, v := range parameters {
		all[i] = shortest(v)
	}
	return name + ":" + strings.Join(all, ",")
}

// shortest writes a number with the digits it takes to read it back as it is.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
