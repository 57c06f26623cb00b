package validate

// What the tests of the package use beside its exports.
var Difference = difference
