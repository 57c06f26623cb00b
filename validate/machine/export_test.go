package machine

// WithoutPlainActions returns a copy of the machine whose runs are general, and call [run.allocate] for each action.
func (m *Machine) WithoutPlainActions() *Machine {
	general := *m
	general.alike, general.plain = false, false
	return &general
}

// Plain reports whether runs call [run.allocatePlain].
func (m *Machine) Plain() bool { return m.plain }

// HasAlikeJobs reports whether runs are an [alikeRun].
func (m *Machine) HasAlikeJobs() bool { return m.hasAlikeJobs() }
