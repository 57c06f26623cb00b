package markov

// What the tests of the package use beside its exports.
var NewWindowTransform = newWindowTransform
