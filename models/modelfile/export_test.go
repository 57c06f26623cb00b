package modelfile

import "github.com/partwise/partwise/models/modelfile/internal/tree"

// What the tests of the package use beside its exports.
var (
	NewDistributionReader = newDistributionReader
	ParseDistribution     = parseDistribution
)

type (
	Collector = tree.Collector
	Cursor    = tree.Cursor
)

// Root returns the cursor on a whole file.
func Root(n *tree.Node, errs *Collector) *Cursor { return tree.Root(n, errs) }

// ReadTree turns the text of a file into a tree.
func ReadTree(file string, data []byte, errs *Collector) *tree.Node {
	return tree.ReadTree(file, data, errs)
}

const (
	KindPhaseType = kindPhaseType
	KindMAP       = kindMAP
)

// Families are the keys of a distribution.
func Families() []string { return familyNames }
