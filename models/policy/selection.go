package policy

import "slices"

// What may be asked for besides single policies.
const (
	EveryStatic = "static"      // static partitioning for every number of partitions
	BestStatic  = "best-static" // of these the one with the least mean response time
)

// Selection is what somebody asks to see of a machine.
type Selection struct {
	Run   []Policy // what is to be run, in order, without repetitions
	Named []Policy // what is to be shown of it, besides the best static policy
	Best  bool     // show the best static policy
	Every bool     // every static policy is run: the best one of them is the best there is
}

// Choices returns what may be asked of the given runners, for help and completion: the syntax of each policy, and
// "static" and "best-static" where static partitioning is among them.
func (t Table) Choices(on Runner) []string { return t.choices(on, (*Entry).Syntax) }

// Words returns the words that a shell may complete: what may be asked for without its parameter, with a colon behind
// the names that need one.
func (t Table) Words(on Runner) []string {
	return t.choices(on, func(e *Entry) string {
		if e.Parameter != "" && !e.Optional {
			return e.Name + ":"
		}
		return e.Name
	})
}

// choices returns a text for each policy that a runner can run, in the order of the table. Beside static partitioning with
// its number stand the words for every and for the best number of partitions.
func (t Table) choices(on Runner, text func(*Entry) string) []string {
	some := t.On(on)
	all := some.texts(text)
	if i := slices.Index(some.Names(), EveryStatic); i >= 0 {
		return slices.Replace(all, i, i+1, EveryStatic, all[i], BestStatic)
	}
	return all
}

// Select reads what is asked for of a machine. Each policy must be one that one of the runners can run and that fits the
// machine. The error is an *[UnknownError], *[ParameterError] or *[RunnerError].
func (t Table) Select(m Machine, on Runner, texts ...string) (*Selection, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	s := &Selection{}
	for _, text := range texts {
		if text == BestStatic {
			s.Best = true
			continue
		}
		found, err := t.some(m, on, text)
		if err != nil {
			return nil, err
		}
		s.Named = appendNew(s.Named, found...)
	}
	s.Run = slices.Clone(s.Named)
	if s.Best {
		s.Run = appendNew(s.Run, Statics(m)...)
	}
	s.Every = !slices.ContainsFunc(Statics(m), func(p Policy) bool { return !slices.Contains(s.Run, p) })
	return s, nil
}

// Add adds policies that must be run without being shown.
func (s *Selection) Add(policies ...Policy) { s.Run = appendNew(s.Run, policies...) }

// Split returns a copy of the selection without the policies that the runner on cannot run, by their entries in the
// table. It also returns the removed policies that are in s.Named. Policies that are not in the table stay in the
// selection. s stays unchanged.
func (s *Selection) Split(t Table, on Runner) (can *Selection, others []Policy) {
	cannot := func(p Policy) bool {
		if p == nil {
			return false
		}
		e, known := t.Named(p.Name())
		return known && e.RunsOn&on == 0
	}
	some := *s
	some.Run, some.Named = slices.DeleteFunc(slices.Clone(s.Run), cannot), slices.DeleteFunc(slices.Clone(s.Named), cannot)
	return &some, slices.DeleteFunc(slices.Clone(s.Named), func(p Policy) bool { return !cannot(p) })
}

// some returns the policies that one text stands for on a machine: every static partitioning, or a single policy that a
// runner can run.
func (t Table) some(m Machine, on Runner, text string) ([]Policy, error) {
	if text == EveryStatic {
		return Statics(m), nil
	}
	p, err := t.Parse(text)
	if err != nil {
		if unknown, ok := err.(*UnknownError); ok {
			unknown.Known = t.Choices(on)
		}
		return nil, err
	}
	e, _ := t.Named(p.Name())
	if err := e.check(text, on); err != nil {
		return nil, err
	}
	if err := p.Check(m); err != nil {
		return nil, parameterError(text, err)
	}
	return []Policy{p}, nil
}

// Candidates returns the policies of the question that this module is about: dynamic, then static for every number of
// partitions.
func Candidates(m Machine) []Policy { return append([]Policy{Dynamic{}}, Statics(m)...) }

// appendNew appends the policies that a list does not have.
func appendNew(list []Policy, more ...Policy) []Policy {
	for _, p := range more {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
