// Package answer answers what the page of the explorer asks. A question in JSON has a model file, settings as on the command line,
// and the kind of answer. The answer is data that the page draws.
//
//	question ─► modelfile.Model ─► decide.Solve | validate.Record ─► answer
//
// Nothing here knows of browsers: the program in WebAssembly that runs in the page only passes text on.
package answer
