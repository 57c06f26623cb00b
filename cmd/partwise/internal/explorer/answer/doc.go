// Package answer answers what the page of the explorer asks: a question in JSON is a model file with settings, as the
// command line would have them, and what is to be known of it; the answer is data to be drawn.
//
//	question ─► modelfile.Model ─► decide.Solve | validate.Record ─► answer
//
// Nothing here knows of browsers: the program in WebAssembly that runs in the page only passes text on.
package answer
