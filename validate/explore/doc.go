// Package explore answers questions about a model whose sliders a user moves: which policy wins, how response times depend on the
// load, and what a schedule looks like. A question in JSON has a model file, settings as on the command line, the positions of
// the sliders, and the kind of answer. The answer is data that a page draws.
//
//	question ─► modelfile.Model ─► decide.Solve | validate.Record ─► answer
//
// A coarser model answers a question that must be answered soon. The package knows nothing of browsers. Sentences come from [Words].
package explore
