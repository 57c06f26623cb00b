package spec

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

//go:embed schema/model.schema.json
var modelSchema []byte

//go:embed schema/study.schema.json
var studySchema []byte

//go:embed schema/allocation.schema.json
var allocationSchema []byte

//go:embed schema/distribution.schema.json
var distributionSchema []byte

// ModelSchema returns the JSON Schema of model files, for editors.
func ModelSchema() []byte { return withTables(modelSchema) }

// StudySchema returns the JSON Schema of study files, for editors.
func StudySchema() []byte { return append([]byte(nil), studySchema...) }

// AllocationSchema returns the JSON Schema of study files of allocation, for editors.
func AllocationSchema() []byte { return withTables(allocationSchema) }

// DistributionSchema returns the JSON Schema of the files of distributions and arrival processes, for editors.
func DistributionSchema() []byte { return append([]byte(nil), distributionSchema...) }

// withTables puts the tables of policies and measures into a schema.
func withTables(schema []byte) []byte {
	table := policy.Standard()
	return []byte(strings.NewReplacer(
		"POLICIES_OF_CHAINS", strings.Join(table.Choices(policy.Chain), ", "),
		"PATTERN_OF_CHAINS", pattern(table.On(policy.Chain)),
		"MEASURES_OF_JOBS", strings.Join(measure.OfJobs(), `", "`),
		"POLICIES_OF_MACHINES", strings.Join(table.Choices(policy.WholeNodes), ", "),
	).Replace(string(schema)))
}

// pattern matches the policies of a table, as text of JSON.
func pattern(table policy.Table) string {
	alternatives := []string{policy.EveryStatic, policy.BestStatic}
	for _, e := range table {
		one := regexp.QuoteMeta(e.Name)
		switch {
		case e.Parameter != "" && e.Optional:
			one += "(:.+)?"
		case e.Parameter != "":
			one += ":.+"
		}
		alternatives = append(alternatives, one)
	}
	return strings.ReplaceAll("^("+strings.Join(alternatives, "|")+")$", `\`, `\\`)
}
