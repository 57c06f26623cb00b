package machine

// What the tests of the package use beside its exports.
type Reallocations = reallocations

var NewReallocations = newReallocations
