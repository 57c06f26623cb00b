package machine

// WithoutPlainActions returns a copy of the machine whose runs call [run.allocate] for each action.
func (m *Machine) WithoutPlainActions() *Machine {
	general := *m
	general.plain = false
	return &general
}

// Plain reports whether runs call [run.allocatePlain].
func (m *Machine) Plain() bool { return m.plain }
