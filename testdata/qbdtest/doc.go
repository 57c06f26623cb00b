// Package qbdtest holds chains whose answers are known, in closed form or from a computation in higher precision, for
// any solver to be held against.
package qbdtest
