package modelfile

// NewDistributionReader is used by the tests of the package beside its exports.
var NewDistributionReader = newDistributionReader
