package replayview

import "github.com/partwise/partwise/validate/replay"

// verdictWords are the verdicts in tables.
var verdictWords = map[replay.Verdict]string{replay.Pays: "yes", replay.PaysNot: "no", replay.NotClear: "not clear"}

// flipWords begin the list of assumptions that lead to a verdict.
var flipWords = map[replay.Verdict]string{replay.Pays: "resizing pays if ",
	replay.NotClear: "it is not clear whether resizing pays if ", replay.PaysNot: "resizing does not pay if "}

// flipClauses begin what leads to another verdict.
var flipClauses = map[replay.Verdict]string{replay.Pays: "pays if ", replay.NotClear: "not clear if ",
	replay.PaysNot: "does not pay if "}
