package block

// What external tests need of the kernels.
var (
	AddProduct      = addProduct
	Plain           = plain
	GaussJordanStep = gaussJordanStep
	RowCombination  = combination
	RowCombinations = combinations
	InvertSmall     = invertSmall
)

// Square is what InvertSmall inverts, with up to Side states.
type Square = square

// Side is the largest number of states of a Square.
const Side = side
