package modelfile

import (
	_ "embed"
	"slices"
)

//go:embed schema/model.schema.json
var modelSchema []byte

//go:embed schema/study.schema.json
var studySchema []byte

//go:embed schema/distribution.schema.json
var distributionSchema []byte

// ModelSchema returns the JSON Schema of model files, for editors.
func ModelSchema() []byte { return slices.Clone(modelSchema) }

// StudySchema returns the JSON Schema of study files, for editors.
func StudySchema() []byte { return slices.Clone(studySchema) }

// DistributionSchema returns the JSON Schema of the files of distributions and arrival processes, for editors.
func DistributionSchema() []byte { return slices.Clone(distributionSchema) }
