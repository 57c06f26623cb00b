package logmodel

import "slices"

// Table is the assumptions of a chain, in the order in which they are reported.
func Table() []Assumption { return slices.Clone(table) }
