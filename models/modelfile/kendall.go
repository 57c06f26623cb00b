package modelfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/words"
)

// IsQueue reports whether a name is a queue in Kendall's notation, arrivals/service/servers such as M/H2[scv=4]/8, and not a file
// that exists. The notation may be wrong: [QueueModel] says what is.
func IsQueue(name string) bool {
	if !queueShape().MatchString(name) && !queueMisspelt().MatchString(name) {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

// queueShape is what a name has to look like in order to be taken for a queue: two symbols and something more between slashes.
var queueShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Z]\w{0,3}([\[(][^/]*|[\[(].*[\])])?/[A-Z]\w{0,3}([\[(].*[\])])?/\S*$`)
})

// queueMisspelt matches what can only be meant as a queue: lower-case letters, brackets that are never closed, parameters without a
// bracket, or another distribution in words, such as M/Weibull/1.
var queueMisspelt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + stationShape + `/(` + stationShape + `|[A-Z]\w*)|[A-Z]\w*/` + stationShape + `)/\d+$`)
})

// stationShape matches a letter of the notation with parameters, in brackets or not.
const stationShape = `(?i:(m|d|e[\d.]*|h\d|gi?|ph|map)([\[(]?\w+[=:][^/]*|[\[(][^/]*)?)`

// QueueModel returns the text of the model file that a queue in Kendall's notation stands for: the jobs of a machine with as many
// nodes as the queue has servers, under static:servers. The mean service time is 1 unless the notation has another one. Without a
// mean or a rate of the arrivals they keep all servers busy, until a load rescales them. The error says what of the notation is
// wrong.
//
// Reference: D. G. Kendall, Stochastic processes occurring in the theory of queues and their analysis by the method of the imbedded
// Markov chain, Ann. Math. Statist. 24 (1953) 338–354.
func QueueModel(notation string) ([]byte, error) {
	q, err := parseQueue(notation)
	if err != nil {
		return nil, err
	}
	return q.model(), nil
}

// queue is a queue in Kendall's notation.
type queue struct {
	notation          string
	arrivals, service station
	servers           int
}

// station is the first or the second part of the notation: a distribution or, of arrivals, an arrival process.
type station struct {
	kind   string // of the model file: exponential, erlang, hyperexponential, moments, file or map
	file   string // of PH and MAP
	phases int    // of an Erlang distribution
	scv    float64
	mean   string // a time with or without a unit; "" if the notation has neither mean nor rate
}

// queueForm says how a queue is written.
const queueForm = "write arrivals/service/servers, such as M/M/4, M/H2[scv=4]/8, E3/G[scv=0.5]/2 or PH(work.ph.json)/M/1"

func parseQueue(notation string) (queue, error) {
	parts := splitQueue(notation)
	open, closed := strings.Count(notation, "[")+strings.Count(notation, "("), strings.Count(notation, "]")+strings.Count(notation, ")")
	letters := notation[:strings.LastIndexByte(notation, '/')+1]
	switch upper := strings.ToUpper(letters); {
	case open > closed:
		return queue{}, queueErrorf(notation, "a bracket is never closed; %s", queueForm)
	case open < closed:
		return queue{}, queueErrorf(notation, "a bracket is closed that was never opened; %s", queueForm)
	case upper != letters && open == 0 && isQueue(upper+notation[len(letters):]):
		return queue{}, queueErrorf(notation, "the letters of the notation are capitals; did you mean %s?", upper+notation[len(letters):])
	case len(parts) > 3:
		return queue{}, queueErrorf(notation,
			"%q: the queues that are solved have room for all jobs and serve them in order; %s",
			"/"+strings.Join(parts[3:], "/"), queueForm)
	case len(parts) < 3:
		return queue{}, queueErrorf(notation, "%s", queueForm)
	}
	q := queue{notation: notation}
	var err error
	if q.arrivals, err = parseStation(notation, parts[0], true); err != nil {
		return queue{}, err
	}
	if q.service, err = parseStation(notation, parts[1], false); err != nil {
		return queue{}, err
	}
	var isCount bool
	if q.servers, isCount = measure.ParseCount(parts[2], 1); !isCount {
		return queue{}, queueErrorf(notation, "%q is not a number of servers, from 1 on", parts[2])
	}
	if q.servers > maxPartitions {
		return queue{}, queueErrorf(notation, "%d servers are too many; at most %d are supported", q.servers, maxPartitions)
	}
	if q.service.mean == "" && q.service.file == "" {
		q.service.mean = "1"
	}
	return q, nil
}

// isQueue reports whether a notation is a queue as it is written.
func isQueue(notation string) bool {
	_, err := parseQueue(notation)
	return err == nil
}

// QueueError is the error of a queue in Kendall's notation that cannot be read.
type QueueError struct {
	Notation string
	Problem  string // what is wrong, and what would be right
}

func (e *QueueError) Error() string { return "modelfile: queue " + e.Notation + ": " + e.Problem }

// Similar returns an example of a queue in correct notation that resembles the wrong notation, for a hint. It is the queue itself
// if Erlang distributions or a squared coefficient of variation mend it. Otherwise it is a queue with a file of arrivals, with a
// file of service times, with service times given by two moments, hyperexponential or nearly constant, or M/M/4.
func (e *QueueError) Similar() string {
	if own := e.mended(); own != e.Notation && isQueue(own) {
		return own
	}
	switch {
	case strings.HasPrefix(e.Notation, "MAP"):
		return "MAP(arrivals.map.json)/M/4"
	case strings.Contains(e.Notation, ".json"):
		return "M/PH(work.ph.json)/4"
	case strings.Contains(e.Notation, "G"):
		return "M/G[scv=4]/4"
	case strings.Contains(e.Notation, "H2"):
		return "M/H2[scv=4]/4"
	case strings.Contains(e.Notation, "D"):
		return "M/E4/4"
	}
	return "M/M/4"
}

// mended returns the notation with an Erlang distribution in place of constant times, a whole number of phases in place of a
// fraction, and [scv=4] where a distribution needs it. Decimal commas become points. With several servers the distribution has few phases, because the phases
// of all servers are in the chain.
func (e *QueueError) mended() string {
	parts := splitQueue(fractionalErlang().ReplaceAllString(withPoints(e.Notation), "$1"))
	constant := "E4"
	if parts[len(parts)-1] == "1" {
		constant = "E100"
	}
	for i := range parts {
		switch letter, given, _ := strings.Cut(parts[i], "["); {
		case letter == "D" && given != "":
			parts[i] = constant + "[" + given
		case letter == "D":
			parts[i] = constant
		case parts[i] == "G" || parts[i] == "GI" || parts[i] == "H2":
			parts[i] += "[scv=4]"
		}
	}
	return strings.Join(parts, "/")
}

func queueErrorf(notation, format string, args ...any) error {
	return &QueueError{notation, fmt.Sprintf(format, args...)}
}

// splitQueue splits a notation at the slashes that stand in no brackets.
func splitQueue(notation string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range notation {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '/':
			if depth == 0 {
				parts = append(parts, notation[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, notation[start:])
}

// The forms of a station. roundStation has parameters in the brackets of files, or a letter in lower case.
var (
	fileStation  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(PH|MAP)\((.+)\)$`) })
	namedStation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Z][A-Za-z]*)(\d*)(?:\[(.*)\])?$`) })
	roundStation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\w+?\d*)[(\[](.*=.*)[)\]]$`) })
)

// fractionalErlang matches an Erlang distribution whose number of phases is no whole number.
var fractionalErlang = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(E\d+)\.\d+`) })

// parseStation reads the first part of a notation, the arrivals, or its second part.
func parseStation(notation, text string, arrivals bool) (station, error) {
	if m := fileStation().FindStringSubmatch(text); m != nil {
		switch {
		case m[1] == "PH":
			return station{kind: "file", file: m[2]}, nil
		case arrivals:
			return station{kind: "map", file: m[2]}, nil
		}
		return station{}, queueErrorf(notation, "%s: only arrivals are an arrival process; give service as PH(FILE)", text)
	}
	m := namedStation().FindStringSubmatch(text)
	if round := roundStation().FindStringSubmatch(text); m == nil && round != nil {
		return station{}, queueErrorf(notation, "%s: parameters stand in square brackets; did you mean %s[%s]?", text,
			strings.ToUpper(round[1]), round[2])
	}
	if m == nil && fractionalErlang().MatchString(text) {
		return station{}, queueErrorf(notation, "%s: an Erlang distribution has a whole number of phases, such as E3", text)
	}
	if m == nil {
		return station{}, queueErrorf(notation, "%q is no distribution; %s", text, queueForm)
	}
	s, needsSCV, err := symbol(m[1], m[2])
	if err != nil {
		return station{}, queueErrorf(notation, "%s: %v", text, err)
	}
	if err := s.parameters(m[3], needsSCV); err != nil {
		return station{}, queueErrorf(notation, "%s: %v", text, err)
	}
	return s, nil
}

// symbol returns the distribution that a letter and a number behind it stand for, and whether the letter leaves the SCV open.
func symbol(letter, number string) (s station, needsSCV bool, err error) {
	count, _ := strconv.Atoi(number)
	switch {
	case letter == "M" && number == "":
		return station{kind: "exponential"}, false, nil
	case letter == "E" && count > 0:
		return station{kind: "erlang", phases: count}, false, nil
	case letter == "E" && number != "":
		return station{}, false, fmt.Errorf("an Erlang distribution has at least 1 phase, such as E3")
	case letter == "H" && count == 2:
		return station{kind: "hyperexponential"}, true, nil
	case (letter == "G" || letter == "GI") && number == "":
		return station{kind: "moments"}, true, nil
	case letter == "D":
		return station{}, false, fmt.Errorf("constant times have no phases; E100 comes close (SCV 0.01)")
	}
	return station{}, false, fmt.Errorf("not a distribution of this notation: M (exponential), E3 (Erlang), H2[scv=4] " +
		"(hyperexponential with balanced means), G[scv=0.5] (two moments), PH(FILE) and, for arrivals, MAP(FILE)")
}

// commaSetting matches a setting whose number has a decimal comma, such as scv=0,5.
var commaSetting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(=\d+),(\d+[a-z/]*)([],]|$)`) })

// withPoints returns settings, or a notation, with a decimal point in place of each decimal comma.
func withPoints(text string) string { return commaSetting().ReplaceAllString(text, "$1.$2$3") }

// parameters reads what stands in the square brackets: scv, and mean or rate.
func (s *station) parameters(text string, needsSCV bool) error {
	if meant := withPoints(text); meant != text {
		return fmt.Errorf("write a decimal point, as in [%s]", meant)
	}
	if text != "" {
		given := map[string]bool{}
		for setting := range strings.SplitSeq(text, ",") {
			key, value, _ := strings.Cut(setting, "=")
			key = strings.TrimSpace(key)
			if err := s.parameter(key, strings.TrimSpace(value), needsSCV); err != nil {
				return err
			}
			if given[key] {
				return fmt.Errorf("%s is given twice", key)
			}
			given[key] = true
		}
		if given["mean"] && given["rate"] {
			return fmt.Errorf("give one of mean and rate")
		}
	}
	switch {
	case needsSCV && s.scv == 0:
		return fmt.Errorf("say how variable the times are, such as [scv=4]")
	case s.kind == "hyperexponential" && s.scv < 1:
		return fmt.Errorf("the SCV of a hyperexponential distribution is at least 1; use G[scv=%g]", s.scv)
	}
	return nil
}

// parameter reads one setting of the square brackets.
func (s *station) parameter(key, value string, takesSCV bool) error {
	switch key {
	case "scv":
		v, ok := measure.ParseNumber(value)
		if !takesSCV {
			return fmt.Errorf("its SCV is known; use G[scv=%s] for another one", value)
		}
		if !ok || v <= 0 {
			return fmt.Errorf("scv=%s: not a number above 0", value)
		}
		s.scv = v
	case "mean":
		if v, err := measure.ParseTime(value, measure.Second()); err != nil || v <= 0 {
			return fmt.Errorf("mean=%s: not a time above 0, such as 30s", value)
		}
		s.mean = value
	case "rate":
		v, ok := tree.ParseRate(value, measure.Second())
		if !ok {
			v, ok = measure.ParseNumber(value)
		}
		if !ok || v <= 0 || math.IsInf(v, 0) {
			return fmt.Errorf("rate=%s: not a number above 0, or with a unit such as 2/h", value)
		}
		s.mean = strconv.FormatFloat(1/v, 'g', -1, 64)
	default:
		return fmt.Errorf("%q is not scv=, mean= or rate=; for example %s", key, likeliest(key))
	}
	return nil
}

// likeliest returns the setting that a text without a known name was probably meant as.
func likeliest(text string) string {
	key, value, _ := strings.Cut(text, ":")
	if measure.IsDecimal(text) {
		return "scv=" + text
	}
	if value == "" {
		value = "4"
	}
	if name, ok := words.Nearest(key, []string{"scv", "mean", "rate"}); ok {
		return name + "=" + value
	}
	return "scv=4"
}

// model writes the model file.
func (q *queue) model() []byte {
	title := q.notation
	if q.arrivals.kind == "moments" || q.service.kind == "moments" {
		title += " (G: the distribution of two moments, its mean and its SCV)"
	}
	arrivals := "interarrival: " + q.arrivals.distribution("1")
	if q.arrivals.kind == "map" {
		arrivals = "map: {file: " + strconv.Quote(q.arrivals.file) + "}"
	}
	return fmt.Appendf(nil, `version: 1
title: %s
machine: {nodes: %d, min_nodes: 1}   # a server is a node
arrivals: {%s}
jobs: {demand: %s, speedup: linear}
`, strconv.Quote(title), q.servers, arrivals, q.service.distribution(""))
}

// distribution writes a distribution; mean is its mean if the notation has none.
func (s *station) distribution(mean string) string {
	if s.mean != "" {
		mean = s.mean
	}
	switch s.kind {
	case "file":
		return "{file: " + strconv.Quote(s.file) + "}"
	case "erlang":
		return fmt.Sprintf("{erlang: {mean: %s, phases: %d}}", mean, s.phases)
	case "exponential":
		return fmt.Sprintf("{exponential: {mean: %s}}", mean)
	}
	return fmt.Sprintf("{%s: {mean: %s, scv: %s}}", s.kind, mean, strconv.FormatFloat(s.scv, 'g', -1, 64))
}

// rated reports whether the notation or a setting says how many jobs arrive.
func (q *queue) rated(sets []Set) bool {
	return q.arrivals.mean != "" || q.arrivals.file != "" ||
		slices.ContainsFunc(sets, func(s Set) bool { return strings.HasPrefix(s.Path, "arrivals") })
}

// queueFile is the name of the text that a queue stands for. Paths in the notation begin in the current folder.
const queueFile = "queue.yaml"

// loadQueue reads the model that a queue stands for, after the settings were applied to it.
func loadQueue(notation string, sets []Set) (*Model, error) {
	q, err := parseQueue(notation)
	if err != nil {
		return nil, err
	}
	if !q.rated(sets) {
		return nil, queueErrorf(notation, "how many jobs arrive? Say at which load, such as --load 0.7, or give the arrivals a rate, "+
			"such as M[rate=0.7]")
	}
	dists := newDistributionReader()
	dists.oneNode = true
	m, err := parseModel(queueFile, q.model(), dists, sets)
	if err != nil {
		return nil, q.unseen(err)
	}
	m.Servers, m.Assumed = q.servers, nil // the notation leaves nothing open
	return m, nil
}

// unseen returns an error of the model file that a queue stands for, which nobody sees, as an error of its notation. It returns other
// errors as they are.
func (q *queue) unseen(err error) error {
	var wrong tree.Errors
	if errors.As(err, &wrong) && wrong[0].File == queueFile {
		return queueErrorf(q.notation, "%s", strings.TrimSuffix(wrong[0].Problem+"; "+wrong[0].Remedy, "; "))
	}
	return err
}
