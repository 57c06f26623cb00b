package modelfile

import "embed"

//go:embed schema
var schemaFiles embed.FS

// Schema returns the JSON Schema of a kind of files, for editors: "model", "study", or "distribution", which is that of
// distributions and arrival processes. It returns nil for another kind.
func Schema(kind string) []byte {
	text, _ := schemaFiles.ReadFile("schema/" + kind + ".schema.json") // nil if there is no such file
	return text
}
