//go:build explorer

package explorer

import _ "embed"

//go:embed solver/solver.wasm.gz
var compressed []byte

//go:embed solver/wasm_exec.js
var script string

func init() { built = &solver{compressed, script} }
