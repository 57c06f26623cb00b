package phasetype

// What the tests of the package use beside its exports.
var ThirdMomentBounds = thirdMomentBounds
