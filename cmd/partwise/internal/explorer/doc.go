// Package explorer writes the page in which somebody moves the parameters of a model and sees the answer at once.
//
// The page is one file that asks the network for nothing: a template, its style and script, and the solver, which is
// package answer compiled to WebAssembly and runs in a worker of the page.
//
//	model ─► Page.Write ─► page ◄─► worker (wasm ─► answer)
//
// The solver is no part of the repository: go generate makes it, and the build tag explorer embeds it. A program that was built
// without the tag has Go compile it from the program's own source ([Prepare]).
package explorer
