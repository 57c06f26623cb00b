package policy

// Policy is a way to share a machine among jobs. Policies are comparable values, equal if they are the same: a policy of one's own
// has no slices, maps or functions among its fields.
type Policy interface {
	// Name returns the name in the table, such as "static".
	Name() string
	// String returns the policy as flags and files write it, such as "static:4".
	String() string
	// Check returns what is wrong with the policy on a machine, nil if nothing is.
	Check(m Machine) error
}

// named is embedded by a policy P whose name does not depend on its settings.
type named[P interface{ name() string }] struct{}

// Name returns the name of the policy in the table.
func (named[P]) Name() string {
	var p P
	return p.name()
}

// plain is embedded by a policy P without settings: its name says all, and any machine can run it.
type plain[P interface{ name() string }] struct{ named[P] }

// String returns the name of the policy.
func (p plain[P]) String() string { return p.Name() }

// Check returns nil.
func (plain[P]) Check(Machine) error { return nil }
